/** Calls of a sink's `publish` that wait for their answer. */
import type { Acknowledged } from './event-sink.ts'

export interface PendingPublish {
  resolve(acknowledged: Acknowledged): void
  reject(error: unknown): void
}

/** Answers all of them, and forgets them. */
export function rejectAll(calls: PendingPublish[], error: unknown): void {
  for (const { reject } of calls.splice(0)) reject(error)
}
