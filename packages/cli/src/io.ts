/** The process as an interface, so that tests can run commands without a process. */

/** Asks the user. It exists only on a terminal. Rejects after Ctrl-C. */
export interface Prompt {
  /** Reads a line without echo. */
  secret(question: string): Promise<string>
  confirm(question: string): Promise<boolean>
}

/** The process, as commands use it. */
export interface Io {
  /** Writes a line to standard output. */
  out(line: string): void
  /** Writes a line to standard error. */
  err(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether standard output supports colors. */
  readonly color: boolean
  /** Whether standard output is a terminal. If it is, control characters in data are escaped. */
  readonly isOutTerminal?: boolean | undefined
  /**
   * Aborts when the command must stop. The reason is the signal, or `'output'` if the output pipe was closed.
   */
  readonly signal: AbortSignal
  /** Shows a progress line on a terminal. `undefined` clears the line. Missing if there is no terminal. */
  readonly progress?: ((text: string | undefined) => void) | undefined
  readonly prompt?: Prompt | undefined
  /** Standard input in chunks. Absent if there is none. */
  readonly input?: AsyncIterable<Uint8Array> | undefined
}

/** The process with secrets that are removed from output. Commands receive this. */
export interface GuardedIo extends Io {
  /** Adds a secret that is removed from standard error from now on. */
  keepSecret(secret: string): void
  /** Removes the secrets from text for standard output. */
  redact(text: string): string
}
