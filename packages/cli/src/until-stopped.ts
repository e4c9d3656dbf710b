/** Waits for the person to say stop. */
import type { Io } from './io.ts'

/** Resolves when the command is asked to stop. The timer keeps the process alive meanwhile. */
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
