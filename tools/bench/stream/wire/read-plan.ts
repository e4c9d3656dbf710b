/** What a request asks for: in the `payload` of one service, in the `timestamp` of the other. */
import { ModuleSubscribeRequestSchema } from '@brokerwire/protos/module'
import { TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import type { Plan } from '../plan.ts'

/** Field 1 of the module service's request, a list of messages; of the other service's it is a number. */
const EVENTS_TAG = 0x0a

export function readPlan(request: Buffer): Plan {
  const text =
    request[0] === EVENTS_TAG
      ? fromBinary(ModuleSubscribeRequestSchema, request).timestamp
      : fromBinary(TradeSubscribeRequestSchema, request).payload
  return JSON.parse(text) as Plan
}
