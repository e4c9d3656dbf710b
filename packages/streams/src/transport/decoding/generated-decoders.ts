/** The decoders of every message of both services, as `pnpm generate` writes them. */
import type { MessageDecoders } from './decoder.ts'
import { decoders as moduleDecoders } from './gen/grpc/event/event_service_decoders.ts'
import { decoders as tradeDecoders } from './gen/grpc/trade/event/events_decoders.ts'

/** By the full name of the message type. */
export const generatedDecoders: MessageDecoders = new Map([...tradeDecoders, ...moduleDecoders])
