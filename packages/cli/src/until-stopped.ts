/** Waits until the user stops the command. */
import type { Io } from './io.ts'

/** Resolves when the command is stopped. A timer keeps the process alive until then. */
export function untilStopped({ signal }: Pick<Io, 'signal'>): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const keepAlive = setInterval(() => undefined, 2 ** 30)
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(keepAlive)
        resolve()
      },
      { once: true },
    )
  })
}
