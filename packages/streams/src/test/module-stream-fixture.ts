/** Module streams against a real HTTP/2 server, with a store in memory. */
import { payloads } from '@brokerwire/payloads'
import { ModuleMessageType, ModuleSubscribeRequestSchema } from '@brokerwire/protos'
import { createFailingStore, type FailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach } from 'vitest'
import type { SharedContext } from '../context.ts'
import type { EventStream } from '../event-stream.ts'
import { createModuleStream, type ModuleStreamOptions } from '../module-stream.ts'
import type { StreamsObserver } from '../observer.ts'
import { cursorKey, IDENTITY, targetOf, testContext } from './context.ts'
import { moduleEvent, moduleFrame } from './frames.ts'
import { take, type Way } from './take.ts'

/** The frame that confirms a subscription. */
export const SUCCESS = moduleFrame(ModuleMessageType.SubscribeSuccess)

/** An event of the type APPLICATION. */
export const app = (n: number) => moduleEvent('APPLICATION', n)

/** The server of the current test. */
export let server: GrpcServer
/** The store of the current test. */
export let store: FailingStore

/** Gives each test of the file a server and a store. */
export function useModuleServer(): void {
  beforeEach(async () => {
    server = await startGrpcServer()
    store = createFailingStore()
  })
  afterEach(() => server.close())
}

/** Creates a stream of the module `application`. */
export function open(options: Partial<ModuleStreamOptions> = {}, change: Partial<SharedContext> = {}) {
  return createModuleStream(
    testContext({ store, identity: IDENTITY, ...change }),
    targetOf(server.url),
    { modules: ['application'], ...options },
    (frame) => payloads.module(frame),
  )
}

/** Creates a stream, and takes its notice `subscribed`. */
export async function subscribed(
  options?: Partial<ModuleStreamOptions>,
  change?: Partial<SharedContext>,
  way: Way = 'items',
) {
  const stream = open(options, change)
  const first = take(stream, 1, way)
  const call = await server.call()
  call.send(SUCCESS)
  await first
  return { stream, call }
}

/** Handles the items that were taken, and ends the stream. */
export async function handleAll(stream: EventStream<unknown>): Promise<void> {
  const pending = stream.next()
  await stream.return()
  await pending
}

/** The positions that a subscription requested, by event type. */
export function requestedPositions(call: GrpcServerCall): Record<string, string> {
  const request = fromBinary(ModuleSubscribeRequestSchema, call.body.subarray(5))
  return Object.fromEntries(request.events.map((event) => [event.eventType, event.position]))
}

/** Creates an observer, and a promise that resolves when the first events were received. */
export function createWatch() {
  let observer: StreamsObserver = {}
  const received = new Promise<void>((resolve) => {
    observer = { onStreamBatch: () => resolve() }
  })
  return { observer, received }
}

/** The committed position of an event type. */
export function stored(consumer = 'default', eventType = 'APPLICATION'): string | undefined {
  const json = store.entries.get(cursorKey(consumer, eventType))
  return json === undefined ? undefined : (JSON.parse(json) as { position: string }).position
}
