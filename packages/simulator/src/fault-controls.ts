/** Queues of pending faults, and the methods that add to them. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import {
  boolean,
  custom,
  type Fields,
  integer,
  isRecord,
  type OptionFailure,
  oneOf,
  optional,
  readOptions,
  received,
  receivedName,
  type Schema,
} from '@brokerwire/core/internal'
import { displayPath } from './display-path.ts'
import { createFaultQueue, type FaultCount, type FaultQueue } from './fault-queue.ts'
import { FRAME_FAULTS, type FrameFault } from './grpc/frame-fault.ts'
import { type StreamService, SUBSCRIPTION_FAULTS, type SubscriptionFault } from './grpc/subscription-fault.ts'
import { HTTP_FAULTS, type HttpFault } from './http/http-fault.ts'
import type { FaultStep } from './scenario/scenario.ts'
import { argumentFailure, readArguments } from './simulator-error.ts'
import type { SimulatorFaults } from './simulator-faults.ts'
import { readService } from './stream-controls.ts'

/** Faults of HTTP requests to one path, to any of several paths, or to any path. */
export type HttpFaultQueue = FaultQueue<HttpFault, string | readonly string[]>

/** The queues and the methods of `simulator.faults`. */
export interface FaultControls {
  readonly http: HttpFaultQueue
  readonly subscriptions: FaultQueue<SubscriptionFault, StreamService>
  readonly frames: FaultQueue<FrameFault, StreamService>
  readonly api: SimulatorFaults
}

/** Creates empty queues. */
export function createFaultControls(): FaultControls {
  const http: HttpFaultQueue = createFaultQueue((paths, requested) =>
    Array.isArray(paths) ? paths.includes(requested) : paths === requested,
  )
  const subscriptions = createFaultQueue<SubscriptionFault, StreamService>()
  const frames = createFaultQueue<FrameFault, StreamService>()
  return {
    http,
    subscriptions,
    frames,
    api: {
      nextHttp(fault, given = {}) {
        const { path, count } = readArguments(given, ['path', 'count'])
        for (const item of Array.isArray(path) ? path : [path]) {
          if (item === undefined || (typeof item === 'string' && item.startsWith('/'))) continue
          throw argumentFailure('path', 'a path that begins with /', displayPath(item))
        }
        http.add(readHttpFault(fault), path, readCount(count))
      },
      nextSubscription(fault, given = {}) {
        const { service, count } = readArguments(given, ['service', 'count'])
        oneOf(SUBSCRIPTION_FAULTS)(fault, 'fault', argumentFailure)
        subscriptions.add(fault, readService({ service }), readCount(count))
      },
      nextFrame(fault, given = {}) {
        const { service, count } = readArguments(given, ['service', 'count'])
        oneOf(FRAME_FAULTS)(fault, 'fault', argumentFailure)
        frames.add(fault, readService({ service }), readCount(count))
      },
      clear() {
        http.clear()
        subscriptions.clear()
        frames.clear()
      },
    },
  }
}

/**
 * Schema of response headers. They are checked here, because Node would reject invalid headers only when it
 * sends the response.
 */
const headers: Schema<Readonly<Record<string, string>>> = (value, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'an object with strings', received(value))
  for (const [name, text] of Object.entries(value)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, text as string)
      if (typeof text === 'string') continue
    } catch {
      // The failure is reported below, because the error of Node quotes the value.
    }
    throw fail(path, 'valid names and values of headers', 'invalid ones')
  }
  return value as Readonly<Record<string, string>>
}

const kind = oneOf(HTTP_FAULTS)
const HTTP_FAULT_FIELDS: Readonly<Record<HttpFault['kind'], Fields>> = {
  respond: {
    kind,
    status: integer({ min: 200, max: 599 }),
    body: optional(custom('a string', (value) => typeof value === 'string')),
    headers: optional(headers),
  },
  hang: { kind },
  close: { kind, processed: boolean(false) },
  truncate: { kind },
  drip: { kind, intervalMs: integer({ min: 0, max: 86_400_000 }) },
  delay: { kind, delayMs: integer({ min: 0, max: 86_400_000 }) },
  flood: { kind, bytes: integer({ min: 2, max: 1_073_741_824 }) },
}

function readHttpFault(fault: HttpFault): HttpFault {
  if (!isRecord(fault)) throw argumentFailure('fault', 'an object', received(fault))
  const fields = HTTP_FAULT_FIELDS[kind(fault.kind, 'fault.kind', argumentFailure)]
  readOptions(argumentFailure, fault, fields, 'fault')
  return fault
}

function readCount(count: FaultCount | undefined): FaultCount {
  if (count === 'always') return count
  const fail: OptionFailure = (name, expected) =>
    argumentFailure(name, `${expected} or 'always'`, receivedName(count))
  return integer({ min: 1, max: 1_000_000, default: 1 })(count, 'count', fail)
}

/** Adds the fault of a scenario step, or removes all pending faults. */
export function addFault(faults: SimulatorFaults, given: FaultStep): void {
  const { http, subscription, frame, clear, path, service, count } = given
  if (clear === true) faults.clear()
  if (http !== undefined) faults.nextHttp(http, { path, count })
  if (subscription !== undefined) faults.nextSubscription(subscription, { service, count })
  if (frame !== undefined) faults.nextFrame(frame, { service, count })
}
