/**
 * What a command touches of its process, as a port: tests run the same commands without one.
 */

/** Asks a person. Present only where one sits at a terminal. Rejects where the person leaves with Ctrl-C. */
export interface Prompt {
  /** Reads a line without an echo. */
  secret(question: string): Promise<string>
  confirm(question: string): Promise<boolean>
}

/** The process, as a command sees it. */
export interface Io {
  /** Writes a line to standard output. */
  out(line: string): void
  /** Writes a line to standard error. */
  err(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether standard output takes colors. */
  readonly color: boolean
  /** Whether standard output is a terminal: what comes from outside is then shown as escapes where it would steer. */
  readonly isOutTerminal?: boolean | undefined
  /** Aborts when the person asks to stop: its reason is the signal, or `'output'` where the reader has left. */
  readonly signal: AbortSignal
  /** Replaces a line of its own on a terminal; `undefined` takes it away. Absent elsewhere. */
  readonly progress?: ((text: string | undefined) => void) | undefined
  readonly prompt?: Prompt | undefined
  /** Standard input, as it comes. Absent where there is none. */
  readonly input?: AsyncIterable<Uint8Array> | undefined
}

/** The process, with secrets that it keeps: what commands get. */
export interface GuardedIo extends Io {
  /** From now on this text is not shown on standard error. */
  keepSecret(secret: string): void
  /** Removes the secrets from a text for standard output. */
  redact(text: string): string
}
