/** The child's side of `child.ts`. A program that responds to calls over IPC imports only this file. */

/** A call as a message. */
export interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}
/** The response to a call as a message. */
export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly code: string | undefined }

/** A message that a child sends without a call. */
export interface Report {
  readonly report: unknown
}

/** The functions that a child offers. Arguments and results are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where argument types of all commands meet
export type Commands = Readonly<Record<string, (...args: any[]) => unknown>>

/** Sends a message without a call. */
export function report(message: unknown): void {
  // With a callback, `send` does not throw if the parent has ended.
  process.send?.({ report: message } satisfies Report, () => {})
}

/** Responds to calls until the parent ends. */
export function serveCalls(commands: Commands): void {
  const reply = (answer: Answer): void => void process.send?.(answer, () => {})
  process.on('message', ({ id, method, args }: Call) => {
    Promise.resolve()
      .then(() => commands[method]?.(...args))
      .then(
        (value) => reply({ id, value: value ?? null }),
        (error: unknown) => {
          const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
          reply({ id, error: String(error), code: typeof code === 'string' ? code : undefined })
        },
      )
  })
  process.on('disconnect', () => process.exit())
}
