// SPDX-License-Identifier: MIT
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

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
		/* A thread gets its name and its guard pages only once it runs. */
		CountDownLatch running = new CountDownLatch(4);
		for (int i = 0; i < 4; i++) {
			Thread thread = new Thread(() -> {
				synchronized (buffers) {
					running.countDown();
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
		running.await();
		System.out.println("ready");
		while (System.in.read() >= 0) {
		}
	}
}
