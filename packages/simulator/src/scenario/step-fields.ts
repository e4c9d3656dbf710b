/** Fields of each type of step. The validation of scenarios and their JSON schema are generated from this table. */
import { FRAME_FAULTS } from '../grpc/frame-fault.ts'
import { STREAM_SERVICES, SUBSCRIPTION_FAULTS } from '../grpc/subscription-fault.ts'
import { HTTP_FAULTS } from '../http/http-fault.ts'
import { QUOTES_ACTIONS } from '../quotes/quotes-actions.ts'
import { MAX_DATE_MS } from '../time/offset-clock.ts'
import { MODULE_NAMES } from '../wire/modules.ts'
import { ORDER_SCENES } from '../wire/order.ts'
import {
  anyString,
  anyValue,
  choice,
  count,
  type FieldTable,
  flag,
  nonEmptyString,
  object,
  record,
  required,
  wholeNumber,
} from './field.ts'

const app = nonEmptyString('name or key of an app; default: the first')
const accountId = nonEmptyString('an account of the app; default: the first')
const payload = record('fields that override those of the generated payload')
const service = choice(STREAM_SERVICES, 'service of the stream; default: both')
const units = (about: string) => wholeNumber(1, 1_000_000, about)

/** Fields of every step. */
const COMMON_FIELDS = {
  type: required(nonEmptyString('type of the step')),
  afterMs: wholeNumber(0, 864_000_000, 'milliseconds after the previous step; default: 0'),
}

/** Further fields of each type of step. */
const STEP_FIELDS = {
  order: {
    order: required(nonEmptyString('name of the order: steps with the same name apply to the same order')),
    scene: required(choice(ORDER_SCENES, 'step in the life of the order')),
    app,
    accountId,
    symbol: nonEmptyString('symbol, only in the first step of an order; default: generated'),
    side: choice(['BUY', 'SELL'], 'side, only in the first step of an order; default: generated'),
    quantity: units('quantity in whole units, only in the first step of an order; default: generated'),
    stepQuantity: units(
      'FILLED: units to fill, at most those that are open; MODIFY_SUCCESS: the new quantity',
    ),
    payload,
  },
  position: { app, accountId, payload },
  module: {
    module: choice(MODULE_NAMES, 'module whose payload is generated; without it, eventType is required'),
    bizType: nonEmptyString('business type; default: generated'),
    eventType: nonEmptyString('event type; required without module'),
    app,
    accountId,
    payload,
  },
  frame: {
    payload: required(anyString('payload, sent unchanged')),
    kind: choice(['order', 'position', 'option'], 'kind of the frame; default: order'),
    eventType: wholeNumber(0, 2_147_483_647, 'event type code; default: that of the kind'),
    contentType: anyString('content type; default: application/json'),
    requestId: anyString('request id; default: generated'),
    timestampMs: wholeNumber(0, MAX_DATE_MS, 'timestamp of the frame; default: the time of the step'),
    app,
    accountId,
  },
  'module-frame': {
    eventType: required(nonEmptyString('event type of the frame')),
    payload: required(anyString('payload, sent unchanged')),
    id: anyString('id of the event; default: generated'),
    position: anyString('cursor; an empty string for none; default: generated'),
    timestamp: anyString('timestamp of the frame; default: the time of the step'),
    version: anyString('version; default: 1.0'),
    app,
  },
  token: {
    action: required(
      choice(
        ['approve', 'invalidate', 'expire'],
        'applies to all tokens of the app: completes their second factor, or ends them',
      ),
    ),
    app,
  },
  fault: {
    http: object(
      {
        kind: required(choice(HTTP_FAULTS, 'kind of the fault')),
        status: wholeNumber(200, 599, 'respond: HTTP status'),
        body: anyString('respond: body'),
        headers: record('respond: names and values of headers'),
        processed: flag('close: executes the request first'),
        intervalMs: wholeNumber(0, 86_400_000, 'drip: milliseconds between two bytes'),
        delayMs: wholeNumber(0, 86_400_000, 'delay: milliseconds before the response'),
        bytes: wholeNumber(2, 1_073_741_824, 'flood: number of bytes'),
      },
      'fault of the next HTTP request',
    ),
    subscription: choice(SUBSCRIPTION_FAULTS, 'fault of the next subscription'),
    frame: choice(FRAME_FAULTS, 'fault of the next data frame'),
    clear: flag('true: removes all pending faults'),
    path: nonEmptyString('http: only requests with this path'),
    service,
    count: count('number of injections; default: 1'),
  },
  drop: { service },
  quotes: {
    action: required(choice(QUOTES_ACTIONS, 'action on market data; requires the option quotes')),
    session: nonEmptyString('client id of one session; default: all sessions'),
    count: units('number of price moves, or of CONNECTs with the fault; default: 1'),
    code: wholeNumber(0, 255, 'reject-connect: return code of CONNACK; default: 105'),
  },
  time: {
    advanceMs: required(wholeNumber(1, 31_622_400_000, 'milliseconds by which the clock is advanced')),
  },
  route: {
    method: required(nonEmptyString('method: GET, HEAD, POST, PUT, PATCH or DELETE')),
    path: required(nonEmptyString('path such as /openapi/orders/:id')),
    response: required(
      object(
        {
          status: required(wholeNumber(200, 599, 'HTTP status')),
          headers: record('names and values of headers'),
          json: anyValue('body, sent as application/json'),
          text: anyString('body, sent unchanged'),
        },
        'response of the route',
      ),
    ),
    token: choice(['required', 'none'], 'whether an access token is required; default: required'),
  },
} as const satisfies Readonly<Record<string, FieldTable>>

/** Types of steps. */
export type StepType = keyof typeof STEP_FIELDS

/** Names of the types. */
export const STEP_TYPES = Object.keys(STEP_FIELDS) as [StepType, ...StepType[]]

/** Returns all fields of a step of this type. */
export const getFields = (type: StepType): FieldTable => ({ ...COMMON_FIELDS, ...STEP_FIELDS[type] })
