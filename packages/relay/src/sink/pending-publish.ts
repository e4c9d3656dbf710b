/** The pending calls of a sink's `publish`. */
import type { PublishAck } from './event-sink.ts'

export interface PendingPublish {
  resolve(acknowledged: PublishAck): void
  reject(error: unknown): void
}

/** Rejects and removes all calls. */
export function rejectAll(calls: PendingPublish[], error: unknown): void {
  for (const { reject } of calls.splice(0)) reject(error)
}
