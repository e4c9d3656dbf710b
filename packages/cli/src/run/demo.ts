/** Runs `brokerwire demo`. */
import { runDemo } from '../demo/demo.ts'
import type { Run } from '../frame/definition.ts'

export const run: Run<{ readonly keep?: boolean; readonly quotes?: boolean }> = async ({ flags, io }) => {
  const { keep = false, quotes = false } = flags
  if (!quotes) return runDemo({ keep }, io)
  const { runQuotesDemo } = await import('../demo/quotes-demo.ts')
  return runQuotesDemo({ keep }, io)
}
