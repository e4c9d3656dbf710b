/** The decoder of trade events: its definition, with the fast path that is generated from it. */
import type { Decoder, Infer } from '../decoder.ts'
import { withFastPath } from '../fast-path.ts'
import { readTradeEvent } from '../generated/trade-event.ts'
import { tradeEventDefinition } from './trade-event-definition.ts'

/** The payload of a trade event, discriminated by `sceneType`. */
export type TradePayload = Infer<typeof tradeEventDefinition>

/** Decodes a trade event. Source: specification, Trade event payload; facts, Module payloads. */
export const tradeEvent: Decoder<TradePayload> = withFastPath(tradeEventDefinition, readTradeEvent)
