// SPDX-License-Identifier: MIT
import java.util.Random;

/**
 * A healthy JVM: it has 16 MiB of objects, and replaces them all the time in random order. Prints
 * `ready` after all of them were replaced several times.
 */
public class Garbage {
	static final byte[][] objects = new byte[16384][];

	static void replace(Random random, int count) {
		for (int i = 0; i < count; i++)
			objects[random.nextInt(objects.length)] = new byte[1024];
	}

	public static void main(String[] arguments) throws Exception {
		Random random = new Random(1);

		for (int i = 0; i < objects.length; i++)
			objects[i] = new byte[1024];
		replace(random, 50 * objects.length);
		System.out.println("ready");
		for (;;) {
			replace(random, 1000);
			Thread.sleep(20);
		}
	}
}
