/** Frames of the module stream: decoded straight from the wire, and classified. */
import type { ModuleFrame } from '@brokerwire/payloads'
import { ModuleMessageType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { fieldsOfSubscribeResponse } from '../transport/decoding/gen/grpc/event/event_service_decoders.ts'
import { KnownTexts } from '../transport/decoding/gen/range-reader.ts'
import type { Decode, Decoder } from '../transport/message-batch.ts'
import { byCode, type FrameClass, type FrameReader } from './frame-class.ts'
import { fieldBytes, NO_FIELDS } from './item-bytes.ts'

/** The fields of a message. Those of an item are the same, and have their docstrings there. */
export interface ReceivedModuleFrame extends ModuleFrame {
  readonly messageType: number
  readonly unknownFields: readonly UnknownField[]
}

/** NOT numbered like the trade service's frames. */
const classOf = byCode<FrameClass>({
  [ModuleMessageType.Event]: 'event',
  [ModuleMessageType.SubscribeSuccess]: 'subscribed',
  [ModuleMessageType.Ping]: 'ping',
  [ModuleMessageType.AuthError]: 'auth-error',
  [ModuleMessageType.NumOfConnExceed]: 'connection-limit',
  [ModuleMessageType.SubscribeExpired]: 'expired',
})

/** Control frames say milliseconds, events an instant of ISO 8601. */
function instantOf(timestamp: string): number | undefined {
  if (/^\d{12,14}$/.test(timestamp)) return Number(timestamp)
  const ms = /^\d{4}-\d\d-\d\dT/.test(timestamp) ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Reads what the supervisor needs of a frame. */
export const moduleFrames = {
  classOf: ({ messageType }: ReceivedModuleFrame) => classOf(messageType),
  serverTimeMs: ({ timestamp }: Pick<ReceivedModuleFrame, 'timestamp'>) => instantOf(timestamp),
} satisfies FrameReader<ReceivedModuleFrame>

/** Decodes the frames of one stream. */
export class ModuleFrameDecoder implements Decoder<ReceivedModuleFrame> {
  readonly #texts = new KnownTexts()
  /** Typed by its contract, because the class uses types that only Node has. */
  readonly texts: Decoder<unknown>['texts'] = this.#texts
  readonly extraBytes: Decoder<ReceivedModuleFrame>['extraBytes'] = fieldBytes

  readonly decode: Decode<ReceivedModuleFrame> = (bytes, start, end) =>
    fieldsOfSubscribeResponse(bytes as Buffer, start, end, this.#texts, createFrame)
}

const createFrame: Parameters<typeof fieldsOfSubscribeResponse<ReceivedModuleFrame>>[4] = (
  messageType,
  id,
  eventType,
  position,
  timestamp,
  version,
  payload,
  unknown,
) => ({
  messageType,
  id,
  eventType,
  position,
  timestamp,
  version,
  payload,
  unknownFields: unknown ?? NO_FIELDS,
})
