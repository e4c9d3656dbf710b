/** Runs `brokerwire demo`. */
import { runDemo } from '../demo/demo.ts'
import type { Run } from '../frame/definition.ts'

export const run: Run<{ readonly keep?: boolean }> = ({ flags: { keep = false }, io }) =>
  runDemo({ keep }, io)
