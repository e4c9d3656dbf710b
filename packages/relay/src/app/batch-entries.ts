/**
 * Converts batches of received items to messages: events that the stream does not have, and the notices that
 * are stored.
 */
import { MODULES } from '@brokerwire/payloads'
import type { StreamItem, StreamNotice } from '@brokerwire/streams'
import type { AnyEvent, EntryFactory, SinkEntry } from '../wire/entries.ts'
import type { Subscription } from '../wire/subjects.ts'
import { DuplicateFilter, RecentKeys } from './recent-keys.ts'
import type { ResumePoint } from './resume-point.ts'

export type Item = StreamItem<unknown>

/** The selected events of an app. */
export interface AppSelection {
  readonly accounts: readonly string[]
  /** The `subscribeType` of the trade subscription, if it includes more than the events of orders. */
  readonly subscribeType?: number | undefined
  /** Names of modules. */
  readonly modules: readonly string[]
  /** Event types of module events, in addition to those of the modules. */
  readonly eventTypes: readonly string[]
  readonly subscriptions: readonly Subscription[]
}

export interface BatchHandlers {
  /** Returns the messages of a notice. @param following - The notice directly after it in the same batch. */
  onNotice(
    subscription: Subscription,
    notice: StreamNotice,
    following: StreamNotice | undefined,
  ): readonly SinkEntry[]
  onEvent(subscription: Subscription, event: AnyEvent): void
}

/** The messages of a batch. */
export interface BatchEntries {
  readonly entries: readonly SinkEntry[]
  /** The number of events that the stream already has. */
  readonly duplicates: number
}

export class BatchReader {
  /** The selected event types. No position is kept for other types, because their number is unbounded. */
  readonly eventTypes: ReadonlySet<string>
  readonly #entries: EntryFactory
  readonly #handlers: BatchHandlers
  readonly #duplicates: DuplicateFilter
  readonly #recent = new RecentKeys()
  #resumePoint: ResumePoint | undefined
  #positions: Record<string, string> = {}

  constructor(selection: AppSelection, entries: EntryFactory, handlers: BatchHandlers) {
    this.eventTypes = new Set([
      ...selection.modules.flatMap((name) => moduleEventTypes(name)),
      ...selection.eventTypes,
    ])
    this.#entries = entries
    this.#handlers = handlers
    this.#duplicates = new DuplicateFilter(selection.subscriptions)
  }

  /** The position of the last event of each event type in the stream. */
  get positions(): Readonly<Record<string, string>> {
    return { ...this.#positions }
  }

  /** Called when this relay becomes the stream's writer. */
  begin(resumePoint: ResumePoint): void {
    this.#resumePoint = resumePoint
    this.#duplicates.reset(resumePoint.keys)
    this.#positions = { ...resumePoint.positions }
  }

  /**
   * Called before a subscription is opened again, because the service may then send its last events again.
   */
  reopening(subscription: Subscription): void {
    this.#duplicates.reset([...(this.#resumePoint?.keys ?? []), ...this.#recent.values()], subscription)
  }

  /** Called when a subscription is live. */
  subscribed(subscription: Subscription): void {
    this.#duplicates.subscribed(subscription)
  }

  read(subscription: Subscription, batch: readonly Item[]): BatchEntries {
    const entries: SinkEntry[] = []
    let duplicates = 0
    for (const [at, item] of batch.entries()) {
      if (item.type === 'notice') {
        // In the stream, a gap notice precedes the `subscribed` notice that ends the gap. So a writer that
        // dies between the two has reported the gap.
        const isBefore = subscription !== 'module' && item.kind === 'gap' && isSubscribed(batch[at - 1])
        entries.splice(
          isBefore ? -1 : entries.length,
          0,
          ...this.#handlers.onNotice(subscription, item, asNotice(batch[at + 1])),
        )
      } else if (item.type === 'undecodable') {
        this.#add(this.#entries.undecodable(subscription, item), undefined, entries)
      } else if (!this.#readEvent(subscription, item, entries)) duplicates += 1
    }
    this.#duplicates.advance(entries.length)
    return { entries, duplicates }
  }

  /** Adds the message of an event. @returns `false` if the stream already has the event. */
  #readEvent(subscription: Subscription, item: AnyEvent, entries: SinkEntry[]): boolean {
    this.#handlers.onEvent(subscription, item)
    const entry = this.#entries.event(subscription, item)
    const hasCursor =
      item.service === 'module' && item.kind === 'module' && this.eventTypes.has(item.eventType)
    const isNew = this.#add(entry, hasCursor ? item.eventType : undefined, entries)
    if (hasCursor && item.position !== '') this.#positions[item.eventType] = item.position
    return isNew
  }

  /** Adds a message to the entries. @returns `false` if the stream already has it. */
  #add(entry: SinkEntry, eventType: string | undefined, entries: SinkEntry[]): boolean {
    if (this.#duplicates.has(entry.key)) return false
    entries.push(entry)
    this.#recent.add(entry.key, eventType)
    return true
  }
}

function asNotice(item: Item | undefined): StreamNotice | undefined {
  return item?.type === 'notice' ? item : undefined
}

function isSubscribed(item: Item | undefined): boolean {
  return item?.type === 'notice' && item.kind === 'subscribed'
}

function moduleEventTypes(name: string): readonly string[] {
  return Object.hasOwn(MODULES, name) ? MODULES[name as keyof typeof MODULES].eventTypes : []
}
