/** What a request asks for. */
import { TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import type { Plan } from '../plan.ts'

export const readPlan = (request: Buffer): Plan =>
  JSON.parse(fromBinary(TradeSubscribeRequestSchema, request).payload) as Plan
