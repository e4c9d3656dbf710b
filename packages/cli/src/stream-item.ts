/** Types of the items of a brokerage's streams. */
import type { Brokerage } from '@brokerwire/client'

type ItemOf<Stream> = Stream extends AsyncIterable<infer Item> ? Item : never

/** An item of any stream. */
export type StreamItem = ItemOf<ReturnType<Brokerage['tradeEvents' | 'moduleEvents']>>

/** An event of any stream. */
export type EventItem = Extract<StreamItem, { readonly type: 'event' }>

/** A notice of any stream. */
export type StreamNotice = Extract<StreamItem, { readonly type: 'notice' }>

/** A message that cannot be decoded. */
export type UndecodableItem = Extract<StreamItem, { readonly type: 'undecodable' }>
