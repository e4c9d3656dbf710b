/** A program that does not end by itself: it is ended when it has said what was waited for. */
import { spawn } from 'node:child_process'

/** What is waited for. */
export interface UntilSaidOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly limitMs: number
  readonly wanted: RegExp
  /** Hears all that was said, again whenever there is more, until it answers `true`. */
  readonly onSaid: (said: string) => boolean
}

/** @throws An error with what was said where the program ends, or the time, before it says what is wanted. */
export async function untilSaid(
  [command = '', ...args]: readonly string[],
  { cwd, env, limitMs, wanted, onSaid }: UntilSaidOptions,
): Promise<void> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  let isTold = false
  try {
    await new Promise<void>((resolve, reject) => {
      const give = (why: string) => () =>
        reject(new Error(`${why} before ${wanted}; it said ${said.slice(-2000)}`))
      const timer = setTimeout(give('the time was over'), limitMs)
      const take = (chunk: Buffer): void => {
        said += String(chunk)
        if (!isTold) isTold = onSaid(said)
        if (wanted.test(said)) resolve()
      }
      child.stdout.on('data', take)
      child.stderr.on('data', take)
      child.once('close', give('the program ended'))
      child.once('close', () => clearTimeout(timer))
    })
  } finally {
    child.kill('SIGKILL')
    await closed
  }
}
