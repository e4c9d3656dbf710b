/** Frames of the module stream: decoding from the received bytes, and classification. */
import type { ModuleFrame } from '@brokerwire/payloads'
import { ModuleMessageType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { fieldsOfSubscribeResponse } from '../transport/decoding/gen/grpc/event/event_service_decoders.ts'
import { KnownStrings } from '../transport/decoding/gen/range-reader.ts'
import type { Decode, Decoder } from '../transport/message-batch.ts'
import { type FrameClass, type FrameReader, lookupByCode } from './frame-class.ts'
import { fieldBytes, NO_FIELDS } from './item-bytes.ts'

/** The fields of a message. They are documented at {@link ModuleItem}. */
export interface ReceivedModuleFrame extends ModuleFrame {
  readonly messageType: number
  readonly unknownFields: readonly UnknownField[]
}

/** The numbers differ from those of the trade service. */
const classify = lookupByCode<FrameClass>({
  [ModuleMessageType.Event]: 'event',
  [ModuleMessageType.SubscribeSuccess]: 'subscribed',
  [ModuleMessageType.Ping]: 'ping',
  [ModuleMessageType.AuthError]: 'auth-error',
  [ModuleMessageType.NumOfConnExceed]: 'connection-limit',
  [ModuleMessageType.SubscribeExpired]: 'expired',
})

/** Parses a timestamp: control frames have milliseconds since the Unix epoch, events have ISO 8601. */
function parseTimestamp(timestamp: string): number | undefined {
  if (/^\d{12,14}$/.test(timestamp)) return Number(timestamp)
  const ms = /^\d{4}-\d\d-\d\dT/.test(timestamp) ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Reads what the supervisor needs from a frame. */
export const moduleFrames = {
  classify: ({ messageType }: ReceivedModuleFrame) => classify(messageType),
  serverTimeMs: ({ timestamp }: Pick<ReceivedModuleFrame, 'timestamp'>) => parseTimestamp(timestamp),
} satisfies FrameReader<ReceivedModuleFrame>

/** Decodes the frames of one stream. */
export class ModuleFrameDecoder implements Decoder<ReceivedModuleFrame> {
  readonly #texts = new KnownStrings()
  /** Has the type of the interface, because the type of `KnownStrings` needs the types of Node. */
  readonly texts: Decoder<unknown>['texts'] = this.#texts
  /** Returns the memory of a frame's unknown fields. */
  readonly extraBytes: Decoder<ReceivedModuleFrame>['extraBytes'] = fieldBytes

  /** Decodes a frame from a range of bytes. */
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
