/** A recording of `brokerwire record trade` from the simulator: five events, a lost connection, and three events after it. */
import { payloads } from '@brokerwire/payloads'
import lines from './recording.jsonl?raw'

/** A line of the recording, as the page shows it. */
export interface RecordedItem {
  readonly atMs: number
  readonly kind: string
  readonly text: string
  /** Whether events may be missing here. */
  readonly isGap: boolean
}

interface Line {
  readonly type: 'event' | 'notice'
  readonly kind: string
  readonly atMs: number
  readonly receivedAtMs: number
  readonly fromMs: number
  readonly toMs: number
  readonly cause: string
  readonly attempt: number
  readonly message: string
  readonly payload: string
  readonly frame: { readonly eventType: number; readonly contentType: string }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2)

function textOfNotice(line: Line): string {
  if (line.kind === 'gap')
    return `${line.cause}: events of ${seconds(line.toMs - line.fromMs)} s may be missing. Query the orders.`
  if (line.kind === 'reconnecting') return `${line.message}; attempt ${line.attempt}`
  return `attempt ${line.attempt}`
}

function textOfEvent({ frame, payload }: Line): string {
  const decoded = payloads.order({ ...frame, payload })
  if (!decoded.ok) return decoded.error.message
  const { symbol, side, orderStatus, filledQty, qty, sceneType } = decoded.value
  return `${symbol} ${side} ${orderStatus}, ${filledQty} of ${qty} filled${sceneType === undefined ? '' : `, ${sceneType}`}`
}

/** Returns the items of a recording. */
function parseRecording(text: string): RecordedItem[] {
  return text
    .trim()
    .split('\n')
    .map((json) => JSON.parse(json) as Line)
    .map((line) => ({
      atMs: line.type === 'notice' ? line.atMs : line.receivedAtMs,
      kind: line.type === 'notice' ? line.kind : line.type,
      text: line.type === 'notice' ? textOfNotice(line) : textOfEvent(line),
      isGap: line.kind === 'gap',
    }))
}

/** The items of the recording. */
export const RECORDING: readonly RecordedItem[] = parseRecording(lines)
