/** Last lines of the demo: events by kind, reconnects, discarded duplicates, gaps, and lost events. */
import { escapeControlChars } from '@brokerwire/core'
import type { Paint } from '../render/palette.ts'
import { type Counters, DEMO_STREAMS, type SentEvents } from './counters.ts'

/** Creates the lines. */
export function summaryLines(tally: Counters, sent: SentEvents, paint: Paint): readonly string[] {
  const lines = ['', paint('strong', 'Summary')]
  for (const stream of DEMO_STREAMS) {
    const { delivered, kinds, reconnects, duplicatesDropped, gaps, resumed } = tally.of(stream)
    const service =
      stream === 'module' ? sent.module : sent.trade.filter((event) => event.kind === KIND[stream])
    const lost = service.length - delivered.length
    lines.push(
      `${paint('strong', `${stream} stream`)}: ${delivered.length} of ${service.length} events delivered` +
        `${lost > 0 ? `, ${lost} lost in the gap` : ''}; reconnects ${reconnects}, resumed ${resumed}, ` +
        `duplicates dropped ${duplicatesDropped}, gaps reported ${gaps}`,
    )
    for (const [kind, count] of kinds)
      lines.push(`  ${String(count).padStart(4)}  ${escapeControlChars(kind, 100)}`)
  }
  return lines
}

const KIND = { trade: 'order', position: 'position' } as const
