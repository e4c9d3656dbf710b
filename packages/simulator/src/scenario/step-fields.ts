/** Fields of each type of step. The validation of scenarios and their JSON schema are generated from this table. */
import { FRAME_FAULTS } from '../grpc/frame-fault.ts'
import { STREAM_SERVICES, SUBSCRIPTION_FAULTS } from '../grpc/subscription-fault.ts'
import { HTTP_FAULTS } from '../http/http-fault.ts'
import { QUOTES_ACTIONS } from '../quotes/quotes-actions.ts'
import { LAST_DATE_MS } from '../time/offset-clock.ts'
import { MODULE_NAMES } from '../wire/modules.ts'
import { ORDER_SCENES } from '../wire/order.ts'
import {
  anyText,
  anything,
  choice,
  type FieldTable,
  flag,
  object,
  record,
  required,
  text,
  times,
  whole,
} from './field.ts'

const app = text('name or key of an app; left out: the first')
const accountId = text('one of the accounts; left out: the first')
const payload = record('fields put over the drawn payload')
const service = choice(STREAM_SERVICES, 'left out: both')
const units = (about: string) => whole(1, 1_000_000, about)

/** Fields of every step. */
const COMMON_FIELDS = {
  type: required(text('what happens')),
  afterMs: whole(0, 864_000_000, 'after the step before; left out: at once'),
}

/** Further fields of the steps of each type. */
const STEP_FIELDS = {
  order: {
    order: required(text('steps with the same name are about the same order')),
    scene: required(choice(ORDER_SCENES, 'what happens to it')),
    app,
    accountId,
    symbol: text('of the first step of an order; left out: drawn'),
    side: choice(['BUY', 'SELL'], 'of the first step of an order; left out: drawn'),
    quantity: units('of the first step of an order, units; left out: drawn'),
    stepQuantity: units(
      'FILLED: units filled now, at most those that are open; MODIFY_SUCCESS: the new quantity',
    ),
    payload,
  },
  position: { app, accountId, payload },
  module: {
    module: choice(MODULE_NAMES, 'left out: eventType says what it is'),
    bizType: text('left out: drawn'),
    eventType: text('needed where no module is named'),
    app,
    accountId,
    payload,
  },
  frame: {
    payload: required(anyText('the text, as it is')),
    kind: choice(['order', 'position', 'option'], 'left out: order'),
    eventType: whole(0, 2_147_483_647, 'left out: the code of the kind'),
    contentType: anyText('left out: application/json'),
    requestId: anyText('left out: drawn'),
    timestampMs: whole(0, LAST_DATE_MS, 'of the frame; left out: the time of the step'),
    app,
    accountId,
  },
  'module-frame': {
    eventType: required(text('event type of the frame')),
    payload: required(anyText('the text, as it is')),
    id: anyText('left out: drawn'),
    position: anyText('its cursor, empty: none; left out: drawn'),
    timestamp: anyText('of the frame; left out: the time of the step'),
    version: anyText('left out: 1.0'),
    app,
  },
  token: {
    action: required(
      choice(
        ['approve', 'invalidate', 'expire'],
        'to all tokens of the app: their second factor, or their end',
      ),
    ),
    app,
  },
  fault: {
    http: object(
      {
        kind: required(choice(HTTP_FAULTS, 'what goes wrong')),
        status: whole(200, 599, 'of answer'),
        body: anyText('of answer'),
        headers: record('of answer'),
        processed: flag('of close'),
        intervalMs: whole(0, 86_400_000, 'of drip'),
        bytes: whole(2, 1_073_741_824, 'of flood'),
      },
      'of the next HTTP request',
    ),
    subscription: choice(SUBSCRIPTION_FAULTS, 'of the next subscription'),
    frame: choice(FRAME_FAULTS, 'of the next data frame'),
    clear: flag('true: forgets the faults that have not struck'),
    path: text('of http: only of requests to this path'),
    service,
    count: times('how often; left out: once'),
  },
  drop: { service },
  quotes: {
    action: required(choice(QUOTES_ACTIONS, 'what happens to market data: needs the option quotes')),
    session: text('of one session; left out: all'),
    count: units('moves of prices, or CONNECTs that are struck; left out: 1'),
    code: whole(0, 255, 'of refuse-connect: CONNACK; left out: 105'),
  },
  time: { advanceMs: required(whole(1, 31_622_400_000, 'moves the clock on')) },
  route: {
    method: required(text('GET, HEAD, POST, PUT, PATCH or DELETE')),
    path: required(text('such as /openapi/orders/:id')),
    answer: required(
      object(
        {
          status: required(whole(200, 599, 'HTTP status')),
          headers: record('names and values'),
          json: anything('written as application/json'),
          text: anyText('written as it is'),
        },
        'what the route answers',
      ),
    ),
    token: choice(['required', 'none'], 'left out: required'),
  },
} as const satisfies Readonly<Record<string, FieldTable>>

/** Types of steps. */
export type StepType = keyof typeof STEP_FIELDS

/** Names of the types. */
export const STEP_TYPES = Object.keys(STEP_FIELDS) as [StepType, ...StepType[]]

/** All fields of a step of this type. */
export const fieldsOf = (type: StepType): FieldTable => ({ ...COMMON_FIELDS, ...STEP_FIELDS[type] })
