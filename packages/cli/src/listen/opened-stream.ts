/** A stream that a command reads. */
import type { Connection } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { EventStream } from './streams.ts'

/** Values that are known after the settings were read. */
export interface OpenedStream {
  readonly stream: EventStream
  readonly connection: Connection
  readonly settings: Settings
  /** Aborts when the command ends. */
  readonly signal: AbortSignal
}
