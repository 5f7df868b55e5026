// SPDX-License-Identifier: MIT
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Leaks WAY NUMBER: a JVM that makes NUMBER things per second, and garbage on its heap all the time.
 * Prints `ready` once it has warmed up, and answers each line of input by `made NUMBER`.
 *
 * - heap: arrays of 16 KiB, which are kept; cache: only the last 500 are
 * - classes: classes, each with a loader of its own, which are kept; loaders: none is
 * - direct: direct buffers of 256 KiB, which are kept; reused: one is used again and again
 * - native: blocks of 256 KiB that are not direct buffers, and are kept
 * - full: arrays that fill the heap to NUMBER percent, at once
 */
public class Leaks {
	/** The class file of `public class C { }`, without a constructor. */
	static final byte[] empty = Base64.getDecoder().decode(
		"yv66vgAAADQABQEAAUMHAAEBABBqYXZhL2xhbmcvT2JqZWN0BwADACEAAgAEAAAAAAAAAAA=");

	static class Loader extends ClassLoader {
		Class<?> define() {
			return defineClass("C", empty, 0, empty.length);
		}
	}

	static final ArrayDeque<Object> things = new ArrayDeque<>();
	static volatile byte[] garbage = new byte[0];
	static volatile long made;
	static ByteBuffer buffer;
	static sun.misc.Unsafe unsafe;

	static ByteBuffer fill(ByteBuffer filled) {
		for (int at = 0; at < filled.capacity(); at += 4096)
			filled.put(at, (byte) 1);
		return filled;
	}

	static void make(String way) throws Exception {
		switch (way) {
		case "heap":
		case "cache":
			things.add(new byte[16 * 1024]);
			if (way.equals("cache") && things.size() > 500)
				things.remove();
			break;
		case "classes":
			things.add(new Loader().define());
			break;
		case "loaders":
			new Loader().define();
			break;
		case "direct":
			things.add(fill(ByteBuffer.allocateDirect(256 * 1024)));
			break;
		case "reused":
			if (buffer == null)
				buffer = ByteBuffer.allocateDirect(16 * 1024 * 1024);
			fill(buffer);
			break;
		case "native":
			unsafe.setMemory(unsafe.allocateMemory(256 * 1024), 256 * 1024, (byte) 1);
			break;
		default:
			break;
		}
		made++;
	}

	static void waste(long bytes) {
		for (long done = 0; done < bytes; done += 16 * 1024)
			garbage = new byte[16 * 1024];
	}

	static void work(String way, long number, boolean collects) {
		long began = System.nanoTime(), before = made;
		try {
			for (long round = 0;; round++) {
				Thread.sleep(20);
				long due = before + (long) ((System.nanoTime() - began) / 1e9 * number);
				while (made < due)
					make(way);
				waste(1 << 20);
				if (collects && round % 25 == 0)
					System.gc();
			}
		} catch (Exception e) {
			System.out.println("failed " + e);
		}
	}

	static void fillHeap(long percent) {
		long target = Runtime.getRuntime().maxMemory() / 100 * percent;
		for (long done = 0; done < target; done += 16 * 1024)
			things.add(new byte[16 * 1024 - 16]);
	}

	public static void main(String[] arguments) throws Exception {
		String way = arguments[0];
		long number = Long.parseLong(arguments[1]);
		Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
		field.setAccessible(true);
		unsafe = (sun.misc.Unsafe) field.get(null);

		waste(2 * Runtime.getRuntime().maxMemory());
		if (way.equals("full"))
			fillHeap(number);
		for (int i = 0; way.equals("cache") && i < 500; i++)
			make(way);
		long before = made;
		boolean collects = way.equals("heap") || way.equals("cache") || way.equals("full") || way.equals("loaders");
		Thread thread = new Thread(() -> work(way, way.equals("full") ? 0 : number, collects), "maker");
		thread.setDaemon(true);
		thread.start();
		while (made < before + 2 * number && !way.equals("full"))
			Thread.sleep(50);
		System.out.println("ready");
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
		while (input.readLine() != null)
			System.out.println("made " + made);
	}
}
