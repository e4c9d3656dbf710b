/**
 * What a command touches of its process, as a port: tests run the same commands without one.
 */

/** The process, as a command sees it. */
export interface Io {
  /** Writes a line to standard output. */
  out(line: string): void
  /** Writes a line to standard error. */
  err(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether standard output takes colors. */
  readonly color: boolean
  /** Aborts when the person asks to stop. */
  readonly signal: AbortSignal
}

/** The process, with secrets that it keeps: what commands get. */
export interface GuardedIo extends Io {
  /** From now on this text is not shown on standard error. */
  keepSecret(secret: string): void
}
