/** Computes without end to keep a core busy. Ends when its parent process ends. */
import { serveCalls } from '@brokerwire/testing/child-calls'

const SLICE_MS = 100

function compute(): void {
  const endMs = performance.now() + SLICE_MS
  while (performance.now() < endMs);
  setImmediate(compute)
}

const commands = { compute }

export type BusyCommands = typeof commands

serveCalls(commands)
