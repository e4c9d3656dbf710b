/** Faults in waiting: the queues that the servers take from, and the caller's way to fill them. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import {
  boolean,
  integer,
  isRecord,
  knownOptions,
  type OptionFailure,
  oneOf,
  received,
  receivedName,
} from '@brokerwire/core/internal'
import { shownPath } from './checks.ts'
import { createFaultQueue, type FaultQueue, type FaultTimes } from './fault-queue.ts'
import { FRAME_FAULTS, type FrameFault } from './grpc/frame-fault.ts'
import { type StreamService, SUBSCRIPTION_FAULTS, type SubscriptionFault } from './grpc/subscription-fault.ts'
import { HTTP_FAULTS, type HttpFault } from './http/http-fault.ts'
import type { FaultStep } from './scenario/scenario.ts'
import type { SimulatorFaults } from './simulator-api.ts'
import { argumentFailure, readArguments } from './simulator-error.ts'
import { readService } from './stream-controls.ts'

/** Both ends of the queues. */
export interface FaultControls {
  readonly http: FaultQueue<HttpFault, string>
  readonly subscriptions: FaultQueue<SubscriptionFault, StreamService>
  readonly frames: FaultQueue<FrameFault, StreamService>
  readonly api: SimulatorFaults
}

/** Makes empty queues. */
export function createFaultControls(): FaultControls {
  const http = createFaultQueue<HttpFault, string>()
  const subscriptions = createFaultQueue<SubscriptionFault, StreamService>()
  const frames = createFaultQueue<FrameFault, StreamService>()
  return {
    http,
    subscriptions,
    frames,
    api: {
      nextHttp(fault, given = {}) {
        const { path, count } = readArguments(given, ['path', 'count'])
        if (path !== undefined && !(typeof path === 'string' && path.startsWith('/'))) {
          throw argumentFailure('path', 'a path that begins with /', shownPath(path))
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

function readHttpFault(fault: HttpFault): HttpFault {
  if (!isRecord(fault)) throw argumentFailure('fault', 'an object', received(fault))
  const kind = oneOf(HTTP_FAULTS)(fault.kind, 'fault.kind', argumentFailure)
  knownOptions(argumentFailure, fault, ['kind', ...FAULT_FIELDS[kind]], 'fault.')
  if (fault.kind === 'answer') {
    readNumber('fault.status', fault.status, 200, 599)
    const { body, headers } = fault
    if (body !== undefined && typeof body !== 'string')
      throw argumentFailure('fault.body', 'a string', received(body))
    if (headers !== undefined) readHeaders('fault.headers', headers)
  }
  if (fault.kind === 'close') boolean(false)(fault.processed, 'fault.processed', argumentFailure)
  if (fault.kind === 'drip') readNumber('fault.intervalMs', fault.intervalMs, 0, 86_400_000)
  if (fault.kind === 'flood') readNumber('fault.bytes', fault.bytes, 2, 1_073_741_824)
  return fault
}

const FAULT_FIELDS: Readonly<Record<HttpFault['kind'], readonly string[]>> = {
  answer: ['status', 'body', 'headers'],
  hang: [],
  close: ['processed'],
  truncate: [],
  drip: ['intervalMs'],
  flood: ['bytes'],
}

/** What Node would refuse when the answer is sent is refused here, where it was written. */
function readHeaders(argument: string, headers: unknown): void {
  if (!isRecord(headers)) throw argumentFailure(argument, 'an object with texts', received(headers))
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value as string)
      if (typeof value === 'string') continue
    } catch {
      // Said below: the error quotes what it found.
    }
    throw argumentFailure(argument, 'names and texts that a header may hold', 'something else')
  }
}

function readNumber(argument: string, value: number, min: number, max: number): number {
  if (value === undefined)
    throw argumentFailure(argument, `a whole number from ${min} to ${max}`, 'undefined')
  return integer({ min, max, default: min })(value, argument, argumentFailure)
}

function readCount(count: FaultTimes | undefined): FaultTimes {
  if (count === 'always') return count
  const fail: OptionFailure = (name, expected) =>
    argumentFailure(name, `${expected} or 'always'`, receivedName(count))
  return integer({ min: 1, max: 1_000_000, default: 1 })(count, 'count', fail)
}

/** Adds a fault that is given as data. */
export function addFault(faults: SimulatorFaults, given: FaultStep): void {
  const { http, subscription, frame, clear, path, service, count } = given
  if (clear === true) faults.clear()
  if (http !== undefined) faults.nextHttp(http, { path, count })
  if (subscription !== undefined) faults.nextSubscription(subscription, { service, count })
  if (frame !== undefined) faults.nextFrame(frame, { service, count })
}
