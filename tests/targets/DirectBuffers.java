// SPDX-License-Identifier: MIT
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A JVM with 40 MiB of direct buffers in blocks of 1 MiB, each of which starts with "upload=N
 * part=N", and four named threads. Prints `ready` and waits for the end of its input. An argument
 * is a rate in bytes per second, at which it creates more buffers, and much garbage on its heap,
 * all of which was used before. Then each line of input is answered by `leaked BYTES MILLISECONDS`:
 * the bytes so far and the time of a monotonic clock. With a second argument `stepped`, it creates
 * buffers only during the command `pass SECONDS`, as many as otherwise in that time.
 */
public class DirectBuffers {
	static final List<ByteBuffer> buffers = new ArrayList<>();
	static volatile long leaked, leakedAt = System.nanoTime();
	static volatile byte[] garbage = new byte[0];

	static void addBuffer() {
		ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
		for (int at = 0; at < buffer.capacity(); at += 4096)
			buffer.put(at, (byte) 1);
		buffer.put(0, ("upload=" + buffers.size() + " part=" + buffers.size() % 7).getBytes());
		synchronized (buffers) {
			buffers.add(buffer);
		}
	}

	static void waste(long bytes) {
		for (long done = 0; done < bytes; done += 64 * 1024)
			garbage = new byte[64 * 1024];
	}

	static void leak(long rate) {
		long began = System.nanoTime();
		try {
			for (;;) {
				Thread.sleep(50);
				long now = System.nanoTime();
				long due = (long) ((now - began) / 1e9 * rate);
				for (; leaked + (1 << 20) <= due; leaked += 1 << 20)
					addBuffer();
				leakedAt = System.nanoTime();
				waste(1 << 20);
			}
		} catch (InterruptedException e) {
			return;
		}
	}

	static void startLeak(long rate) {
		waste(4 * Runtime.getRuntime().maxMemory());
		Thread thread = new Thread(() -> leak(rate), "leak");
		thread.setDaemon(true);
		thread.start();
	}

	/** Obeys the commands `pass SECONDS`. */
	static void step(long rate, BufferedReader input) throws Exception {
		String line;
		while ((line = input.readLine()) != null) {
			long bytes = Long.parseLong(line.substring("pass ".length())) * rate;
			for (long done = 0; done < bytes; done += 1 << 20)
				addBuffer();
			waste(bytes);
			System.out.println("done " + line);
		}
	}

	public static void main(String[] arguments) throws Exception {
		for (int i = 0; i < 40; i++)
			addBuffer();
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
		boolean stepped = arguments.length > 1 && arguments[1].equals("stepped");
		if (arguments.length > 0 && !stepped)
			startLeak(Long.parseLong(arguments[0]));
		System.out.println("ready");
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
		if (stepped)
			step(Long.parseLong(arguments[0]), input);
		while (input.readLine() != null)
			System.out.println("leaked " + leaked + " " + leakedAt / 1000000);
	}
}
