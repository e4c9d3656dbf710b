/**
 * The fields of each kind of step, once: what checks a scenario and what writes its JSON schema read the same table.
 */
import { FRAME_FAULTS } from '../grpc/frame-fault.ts'
import { SUBSCRIPTION_FAULTS } from '../grpc/subscription-fault.ts'
import { HTTP_FAULTS } from '../http/http-fault.ts'
import { QUOTES_ACTIONS } from '../quotes/quotes-actions.ts'
import { LAST_DATE_MS } from '../time/offset-clock.ts'
import { MODULE_NAMES } from '../wire/modules.ts'
import { ORDER_SCENES } from '../wire/order.ts'

/** What a field may hold. */
export type FieldShape = { readonly required?: true; readonly about: string } & (
  | { readonly type: 'string'; readonly oneOf?: readonly string[]; readonly empty?: true }
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'boolean' }
  /** Any JSON object, or one with these fields. */
  | { readonly type: 'object'; readonly fields?: Readonly<Record<string, FieldShape>> }
  /** A whole number from 1, or `'always'`. */
  | { readonly type: 'times' }
  | { readonly type: 'any' }
)

const app: FieldShape = { type: 'string', about: 'name or key of an app; left out: the first' }
const accountId: FieldShape = { type: 'string', about: 'one of the accounts; left out: the first' }
const payload: FieldShape = { type: 'object', about: 'fields put over the drawn payload' }
const service: FieldShape = { type: 'string', oneOf: ['trade', 'module'], about: 'left out: both' }
const units = { type: 'integer', min: 1, max: 1_000_000 } as const
const answer: FieldShape = {
  type: 'object',
  required: true,
  about: 'what the route answers',
  fields: {
    status: { type: 'integer', min: 200, max: 599, required: true, about: 'HTTP status' },
    headers: { type: 'object', about: 'names and values' },
    json: { type: 'any', about: 'written as application/json' },
    text: { type: 'string', empty: true, about: 'written as it is' },
  },
}

/** What every step may have. */
export const COMMON_FIELDS: Readonly<Record<string, FieldShape>> = {
  type: { type: 'string', required: true, about: 'what happens' },
  afterMs: { type: 'integer', min: 0, max: 864_000_000, about: 'after the step before; left out: at once' },
}

/** What the steps of each type may have besides. */
export const STEP_SHAPES = {
  order: {
    order: { type: 'string', required: true, about: 'steps with the same name are about the same order' },
    scene: { type: 'string', oneOf: ORDER_SCENES, required: true, about: 'what happens to it' },
    app,
    accountId,
    symbol: { type: 'string', about: 'of the first step of an order; left out: drawn' },
    side: { type: 'string', oneOf: ['BUY', 'SELL'], about: 'of the first step of an order; left out: drawn' },
    quantity: { ...units, about: 'of the first step of an order, units; left out: drawn' },
    stepQuantity: {
      ...units,
      about: 'FILLED: units filled now, at most those that are open; MODIFY_SUCCESS: the new quantity',
    },
    payload,
  },
  position: { app, accountId, payload },
  module: {
    module: { type: 'string', oneOf: MODULE_NAMES, about: 'left out: eventType says what it is' },
    bizType: { type: 'string', about: 'left out: drawn' },
    eventType: { type: 'string', about: 'needed where no module is named' },
    app,
    accountId,
    payload,
  },
  frame: {
    payload: { type: 'string', required: true, empty: true, about: 'the text, as it is' },
    kind: { type: 'string', oneOf: ['order', 'position', 'option'], about: 'left out: order' },
    eventType: { type: 'integer', min: 0, max: 2_147_483_647, about: 'left out: the code of the kind' },
    contentType: { type: 'string', empty: true, about: 'left out: application/json' },
    requestId: { type: 'string', empty: true, about: 'left out: drawn' },
    timestampMs: {
      type: 'integer',
      min: 0,
      max: LAST_DATE_MS,
      about: 'of the frame; left out: the time of the step',
    },
    app,
    accountId,
  },
  'module-frame': {
    eventType: { type: 'string', required: true, about: 'event type of the frame' },
    payload: { type: 'string', required: true, empty: true, about: 'the text, as it is' },
    id: { type: 'string', empty: true, about: 'left out: drawn' },
    position: { type: 'string', empty: true, about: 'its cursor, empty: none; left out: drawn' },
    timestamp: { type: 'string', empty: true, about: 'of the frame; left out: the time of the step' },
    version: { type: 'string', empty: true, about: 'left out: 1.0' },
    app,
  },
  token: {
    action: {
      type: 'string',
      oneOf: ['approve', 'invalidate', 'expire'],
      required: true,
      about: 'to all tokens of the app: their second factor, or their end',
    },
    app,
  },
  fault: {
    http: {
      type: 'object',
      about: 'of the next HTTP request',
      fields: {
        kind: { type: 'string', oneOf: HTTP_FAULTS, required: true, about: 'what goes wrong' },
        status: { type: 'integer', min: 200, max: 599, about: 'of answer' },
        body: { type: 'string', empty: true, about: 'of answer' },
        headers: { type: 'object', about: 'of answer' },
        processed: { type: 'boolean', about: 'of close' },
        intervalMs: { type: 'integer', min: 0, max: 86_400_000, about: 'of drip' },
        bytes: { type: 'integer', min: 2, max: 1_073_741_824, about: 'of flood' },
      },
    },
    subscription: { type: 'string', oneOf: SUBSCRIPTION_FAULTS, about: 'of the next subscription' },
    frame: { type: 'string', oneOf: FRAME_FAULTS, about: 'of the next data frame' },
    clear: { type: 'boolean', about: 'true: forgets the faults that have not struck' },
    path: { type: 'string', about: 'of http: only of requests to this path' },
    service,
    count: { type: 'times', about: 'how often; left out: once' },
  },
  drop: { service },
  quotes: {
    action: {
      type: 'string',
      oneOf: QUOTES_ACTIONS,
      required: true,
      about: 'what happens to market data: needs the option quotes',
    },
    session: { type: 'string', about: 'of one session; left out: all' },
    count: { ...units, about: 'moves of prices, or CONNECTs that are struck; left out: 1' },
    code: { type: 'integer', min: 0, max: 255, about: 'of refuse-connect: CONNACK; left out: 105' },
  },
  time: {
    advanceMs: { type: 'integer', min: 1, max: 31_622_400_000, required: true, about: 'moves the clock on' },
  },
  route: {
    method: { type: 'string', required: true, about: 'GET, HEAD, POST, PUT, PATCH or DELETE' },
    path: { type: 'string', required: true, about: 'such as /openapi/orders/:id' },
    answer,
    token: { type: 'string', oneOf: ['required', 'none'], about: 'left out: required' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldShape>>>>

/** Types of steps. */
export type StepType = keyof typeof STEP_SHAPES

/** Their names. */
export const STEP_TYPES = Object.keys(STEP_SHAPES) as [StepType, ...StepType[]]
