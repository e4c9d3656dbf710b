/**
 * The stream of a sink: created if it is missing and the options allow it, otherwise compared with the
 * required settings. This file also creates the errors of a stream that can no longer be written.
 */
import { escapeControlChars } from '@brokerwire/core'
import { isRelayError, type RelayError } from '../relay-error.ts'
import { sinkUnavailable, streamTruncated, writerFenced } from '../sink/sink-errors.ts'
import { type StreamAddress, streamName } from '../wire/subjects.ts'
import {
  JETSTREAM_ERROR,
  type JetStreamApi,
  JetStreamApiError,
  type StreamConfig,
} from './api/jetstream-api.ts'
import {
  isFull,
  streamFull,
  streamMismatch,
  streamMissing,
  unsupportedSetting,
} from './api/stream-config-errors.ts'
import { diffConfig, findMismatches, type StreamLimits, streamConfig } from './api/stream-limits.ts'
import type { Loss } from './publish-pipeline.ts'
import { storedEntry } from './stream-tail.ts'

export interface EnsureStreamOptions {
  readonly address: StreamAddress
  readonly createStream?: StreamLimits | undefined
  readonly allowMemory: boolean
}

/**
 * Creates the stream if it is missing, otherwise checks its settings.
 *
 * @throws RelayError `RELAY_SINK_MISCONFIGURED`.
 */
export async function ensureStream(api: JetStreamApi, options: EnsureStreamOptions): Promise<void> {
  const { address, createStream, allowMemory } = options
  const name = streamName(address)
  const config = await findConfig(api)
  if (config !== undefined) {
    const [mismatch] = findMismatches(address, config, allowMemory)
    if (mismatch !== undefined) throw streamMismatch(name, mismatch)
    return
  }
  if (createStream === undefined) throw streamMissing(name)
  const requested = streamConfig(address, createStream)
  const [difference] = diffConfig(requested, await create(api, name, requested))
  if (difference !== undefined) throw unsupportedSetting(name, difference)
}

/** Creates the error of a pipeline that ended. */
export async function createLossError(api: JetStreamApi, stream: string, loss: Loss): Promise<RelayError> {
  switch (loss.why) {
    case 'refused':
      return loss.error instanceof JetStreamApiError
        ? createStreamFullError(api, stream, loss.error)
        : loss.error
    case 'truncated':
      return streamTruncated(stream, loss.acknowledged, loss.sequence)
    case 'fenced': {
      const found = await api.message({ seq: loss.sequence }).catch(() => undefined)
      return writerFenced(stream, loss.sequence, found && storedEntry(found))
    }
  }
}

/** Creates the error of a stream that accepts no more messages, with the numbers of its limits. */
async function createStreamFullError(
  api: JetStreamApi,
  name: string,
  error: JetStreamApiError,
): Promise<RelayError> {
  const [info, storedBytes] = await Promise.all([
    api.info().catch(() => undefined),
    api.storedBytes().catch(() => 0),
  ])
  return streamFull(name, error, info?.config, storedBytes)
}

/** Converts any error of the client to an error of this package. */
export function toRelayError(name: string, error: unknown): RelayError {
  if (isRelayError(error)) return error
  if (isStreamNotFound(error)) return streamMissing(name)
  const message = error instanceof Error ? error.message : String(error)
  return sinkUnavailable(name, escapeControlChars(message, 200), error)
}

/** Whether the stream does not exist. */
export function isStreamNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.errorCode === JETSTREAM_ERROR.streamNotFound
}

async function findConfig(api: JetStreamApi): Promise<StreamConfig | undefined> {
  try {
    return (await api.info()).config
  } catch (error) {
    if (isStreamNotFound(error)) return undefined
    throw error
  }
}

async function create(api: JetStreamApi, name: string, requested: StreamConfig): Promise<StreamConfig> {
  try {
    return await api.create(requested)
  } catch (error) {
    // A cluster without a free server temporarily reports insufficient resources.
    const isTransient =
      !(error instanceof JetStreamApiError) || error.errorCode === JETSTREAM_ERROR.insufficientResources
    if (isTransient || !isFull(error)) throw error
    // The server reserves `max_bytes` when it creates the stream, so it needs that much storage.
    throw streamFull(name, error, requested, Number(requested.max_bytes))
  }
}
