/** How a command joins the program. */
import type { Command } from 'commander'
import type { GuardedIo } from './io.ts'

/** Registers a command; its action hands the exit status to `done`. */
export type AddCommand = (program: Command, io: GuardedIo, done: (status: number) => void) => void
