// SPDX-License-Identifier: MIT
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The service of the example in REPORT.md. Four threads receive uploads and make previews of them.
 * The content of each upload is kept in a direct buffer, by session. A session that ends should
 * release its buffer, but its key is looked up in another form, so no buffer is ever removed.
 * The argument is the number of bytes to upload per second. Prints `ready` after the first uploads.
 */
public class Uploads {
	static final int BUFFER = 512 << 10;
	static final int THREADS = 4;

	/** The contents of uploads, by session. */
	static class UploadCache {
		private final Map<String, ByteBuffer> contents = new ConcurrentHashMap<>();

		void store(long session) {
			ByteBuffer content = ByteBuffer.allocateDirect(BUFFER);
			String header = "POST /upload session=" + session + " type=image/jpeg";
			for (int at = 0; at < BUFFER; at += 4096)
				content.put(at, (byte) (at >> 12));
			content.put(0, header.getBytes());
			contents.put("session-" + session, content);
		}

		/** The defect: the key lacks its prefix. */
		void release(long session) {
			contents.remove(Long.toString(session));
		}
	}

	/** A preview is on the heap of Java, and is garbage soon. */
	static class Preview {
		static volatile byte[] last;

		static void render() {
			for (int i = 0; i < 8; i++)
				last = new byte[64 << 10];
		}
	}

	static final UploadCache cache = new UploadCache();

	static void handle(long session) {
		cache.store(session);
		Preview.render();
		cache.release(session);
	}

	static void serve(int thread, long rate) throws InterruptedException {
		long start = System.nanoTime();
		for (long session = 0;; session++) {
			handle(session * THREADS + thread);
			long due = start + (long) ((session + 1) * 1e9 * BUFFER * THREADS / rate);
			long left = (due - System.nanoTime()) / 1000000;
			if (left > 0)
				Thread.sleep(left);
		}
	}

	public static void main(String[] arguments) throws Exception {
		long rate = Long.parseLong(arguments[0]);
		for (int i = 0; i < 64; i++)
			handle(-i);
		for (int i = 0; i < THREADS; i++) {
			int thread = i;
			new Thread(() -> {
				try {
					serve(thread, rate);
				} catch (InterruptedException e) {
					return;
				}
			}, "http-" + i).start();
		}
		System.out.println("ready");
	}
}
