// SPDX-License-Identifier: MIT
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A JVM with 40 MiB of direct buffers in blocks of 1 MiB, and four named threads; says `ready` and waits for the end of its input. */
public class DirectBuffers {
	static final List<ByteBuffer> buffers = new ArrayList<>();

	public static void main(String[] arguments) throws Exception {
		for (int i = 0; i < 40; i++) {
			ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
			for (int at = 0; at < buffer.capacity(); at += 4096)
				buffer.put(at, (byte) 1);
			buffers.add(buffer);
		}
		for (int i = 0; i < 4; i++) {
			Thread thread = new Thread(() -> {
				synchronized (buffers) {
					try {
						buffers.wait();
					} catch (InterruptedException e) {
						return;
					}
				}
			}, "worker-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		System.out.println("ready");
		while (System.in.read() >= 0) {
		}
	}
}
