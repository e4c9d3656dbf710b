/**
 * What shows each row of docs/facts.md on market data: the tests by file and name, and the options where sources disagree or are
 * silent. `table.test.ts` holds that no row is missing, and that each test and option is there.
 */

/** Tests by their names, options by theirs; an option of the simulator begins with `simulator:`. */
export interface Shown {
  readonly tests: readonly (readonly [file: string, name: string])[]
  readonly options?: readonly string[]
}

const MACHINE = 'packages/quotes/src/connection/transition.test.ts'
const CLIENT = 'packages/quotes/src/create-quotes.node.test.ts'
const SERVICE = 'packages/quotes/src/simulator.node.test.ts'
const ITEMS = 'packages/quotes/src/items/items.test.ts'
const BROKER = 'packages/simulator/src/quotes.node.test.ts'
const STRANGERS = 'packages/quotes/src/strangers.node.test.ts'
const C2S = 'packages/quotes/src/client-to-server.node.test.ts'
const PARITY = 'packages/quotes/src/mqtt/parity.node.test.ts'
const MOSQUITTO = 'tools/peers/mosquitto.test.ts'

const CONNECTS = [
  CLIENT,
  'connects with the app key and no secret, asks over HTTP, and hands on what comes',
] as const
const SELECTS = [CLIENT, 'every option of a selection reaches the call'] as const

/** By the first cell of the row. */
export const CONNECTION: Readonly<Record<string, Shown>> = {
  Protocol: { tests: [[PARITY, 'CONNECT is what mqtt-packet reads'], CONNECTS] },
  TCP: {
    tests: [
      [SERVICE, 'over TLS, with an authority of its own'],
      ['packages/quotes/src/socket/sockets.node.test.ts', 'a certificate that nobody vouches for is refused'],
    ],
    options: ['mqttUrl', 'tls', 'allowInsecure'],
  },
  WebSocket: {
    tests: [
      [BROKER, 'is subscribed under %s and pushed to'],
      [MOSQUITTO, 'over %s: accepted, by its own sockets, and left with DISCONNECT'],
    ],
    options: ['mqttUrl', 'webSocket'],
  },
  'Keep-alive': {
    tests: [
      [MACHINE, 'a PING at each interval; any packet is an answer'],
      [BROKER, 'a client that says nothing for one and a half times its keep-alive is left'],
    ],
    options: ['keepAliveMs', 'pingIntervalMs'],
  },
  'Clean session': { tests: [CONNECTS, [PARITY, 'CONNECT is what mqtt-packet reads']] },
  ClientId: {
    tests: [CONNECTS, [STRANGERS, 'a session id that is %s ends it with an error that does not show it']],
    options: ['sessionId'],
  },
  'User name, password': {
    tests: [
      CONNECTS,
      ['packages/quotes/src/secrets.node.test.ts', 'a service that quotes the token with %i %s'],
    ],
  },
  'Access token': {
    tests: [
      [SERVICE, 'a token that is missing ends it after one more try'],
      [BROKER, 'needs a token where the app does'],
    ],
  },
  'The same session id again': {
    tests: [
      [BROKER, 'another connection with its id takes its place'],
      [MOSQUITTO, 'whoever comes with its session id takes its place: it is told, and comes back'],
    ],
  },
  Connections: {
    tests: [
      [SERVICE, 'more connections than the key has: 105, and the others live'],
      [BROKER, '105 beyond the limit; a slot lingers after a drop, and not after DISCONNECT'],
      [CLIENT, 'a storm of drops at the limit of connections ends in the set, without another storm'],
    ],
    options: ['maxConnections', 'simulator:slotLingerMs'],
  },
  'Push rate': {
    tests: [[BROKER, 'the rate limit drops what is too much, and the notice counts it']],
    options: ['symbolsPerConnection', 'simulator:maxPushesPerSecond'],
  },
  Entitlement: {
    tests: [[MACHINE, 'a category without a subscription is refused as a whole, the others go on']],
  },
}

export const CONNACK: Readonly<Record<string, Shown>> = {
  '0': { tests: [[MACHINE, 'CONNACK 0 sends what is wanted, and says so when it is confirmed']] },
  '1, 2': { tests: [[SERVICE, 'CONNACK %i ends it with %s']] },
  '3': {
    tests: [
      [SERVICE, 'CONNACK %i ends it with %s'],
      [MACHINE, '3 is tried again where the caller wants it'],
    ],
    options: ['retryCodes'],
  },
  '5': {
    tests: [
      [MACHINE, '5 is tried a few times'],
      [MOSQUITTO, 'CONNACK 5 is tried a few times, and ends it'],
    ],
    options: ['unauthorizedAttempts'],
  },
  '100, 101': { tests: [[SERVICE, 'CONNACK %i is tried again']] },
  '102': { tests: [[SERVICE, 'CONNACK %i is tried again']] },
  '103, 104': { tests: [[CLIENT, 'refused credentials end it, with what to look at']] },
  '105': {
    tests: [
      [MACHINE, '105 waits a minute, then two, up to ten, and tells of a slot that lingers'],
      [MACHINE, 'the wait is not escaped by wanting nothing for a moment'],
    ],
    options: ['connectionLimitWaitMs', 'connectionLimitMaxMs'],
  },
}

export const SUBSCRIBING: Readonly<Record<string, Shown>> = {
  Path: {
    tests: [
      [CLIENT, 'a path that is not there is tried once in its other form, which is kept'],
      [CLIENT, 'neither form: an error that names the option'],
    ],
    options: ['paths', 'pathFallback'],
  },
  '`x-version`': { tests: [SELECTS], options: ['apiVersion'] },
  Body: { tests: [CONNECTS, SELECTS, [BROKER, 'adds; unsubscribe takes away, or all at once']] },
  '`grab`': {
    tests: [SELECTS, [BROKER, 'a first message comes at once with grab, and none without']],
    options: ['grab'],
  },
  'Client-to-server body': {
    tests: [
      [C2S, 'connects with what login gives, and asks with the client token and the body of the documents'],
      [C2S, '%s has no default'],
      [BROKER, 'of the client-to-server product names groups of symbols'],
    ],
    options: ['product'],
  },
  Answer: { tests: [[BROKER, 'is subscribed under %s and pushed to']] },
  Categories: { tests: [SELECTS, [BROKER, 'with %s is refused']] },
  Limit: {
    tests: [
      [CLIENT, '250 symbols go over three, each with a session of its own'],
      [CLIENT, 'more symbols than all connections carry are an error at once'],
    ],
    options: ['symbolsPerConnection', 'simulator:maxSymbols'],
  },
  Again: {
    tests: [
      [MACHINE, 'a further type of a symbol is one more call, for that type alone'],
      [MACHINE, 'the set is sent again at each interval, where that is wanted, and nothing is told of it'],
    ],
    options: ['reassertMs'],
  },
  'Limit of calls': { tests: [[MACHINE, 'one call at a time, each with one category and one set of types']] },
}

export const ERRORS: Readonly<Record<string, Shown>> = {
  '417 `INVALID_SESSION`': {
    tests: [
      [
        MACHINE,
        'a session that is not known just after CONNACK is asked for again, then the connection is new',
      ],
      [CLIENT, 'a session that is never known costs a new id each time, and never a storm'],
      [SERVICE, 'a session that is registered late is waited for'],
    ],
    options: ['sessionGraceMs', 'simulator:registrationMs'],
  },
  '417 `TOO_MANY_SYMBOLS_SUBSCRIPTION`': {
    tests: [[MACHINE, 'too many: halves, until not one more fits; the others go elsewhere']],
  },
  '417 `INVALID_SYMBOL`': {
    tests: [
      [SERVICE, 'a bad symbol is taken out'],
      [MACHINE, 'a bad symbol that nobody names is found by halves'],
    ],
  },
  '417 `UNSUPPORTED_SUB_TYPE`': { tests: [[BROKER, 'with %s is refused'], SELECTS] },
  '417 `UNSUPPORTED_CATEGORY`, `UNSUPPORTED_SYMBOL`; 403 `MARKET_DATA_NOT_SUBSCRIBED`': {
    tests: [[MACHINE, 'a category without a subscription is refused as a whole, the others go on']],
  },
  '401 `INVALID_TOKEN`, `UNAUTHORIZED`; 400 `ILLEAGAL_PARAMETER` (spelled so); 404 with `error_msg` from the gateway':
    {
      tests: [
        [CLIENT, 'a token that is refused twice ends it'],
        [BROKER, 'with %s is refused'],
        [CLIENT, 'neither form: an error that names the option'],
      ],
    },
}

/** Of what the page says in sentences. */
export const MESSAGES: Readonly<Record<string, Shown>> = {
  'what MQTT is used for: no SUBSCRIBE': {
    tests: [[BROKER, 'PINGs are answered, SUBSCRIBE is taken and not needed, a second CONNECT ends it']],
  },
  hosts: {
    tests: [
      [
        'packages/client/src/quotes.node.test.ts',
        'a brokerage whose HTTP host alone was replaced has no market data: no key meets the real host',
      ],
    ],
  },
  '7 and 16 are no codes': { tests: [[MACHINE, '%i is tried again, never at once']] },
  'topics of stocks and of event contracts': {
    tests: [
      [ITEMS, 'messages of event contracts'],
      [ITEMS, 'a topic that nobody knows is its bytes'],
    ],
  },
  'decimals are text, an empty one is none': {
    tests: [[ITEMS, 'a snapshot: decimals stay text, an empty text is nothing']],
  },
  'fields by their numbers': {
    tests: [
      [
        ITEMS,
        'every field of a snapshot arrives under its own name: price is not ext_price, open is not close',
      ],
    ],
  },
  'depth with market participants and brokers': {
    tests: [[ITEMS, 'a quote with market participants and brokers: the id of a broker is no number']],
  },
  'values of side': { tests: [[ITEMS, 'a tick, also with a side that nobody knows']] },
  'unknown fields survive': { tests: [[ITEMS, 'fields that nobody knows stay, with where they stood']] },
  'notice and echo': {
    tests: [[CLIENT, 'heartbeats are no items; the service\\u2019s status is a notice, printable']],
  },
  'QoS 1': {
    tests: [
      [CLIENT, 'QoS 1 is acknowledged; a repeat says that it is one'],
      [MOSQUITTO, 'over %s: messages of QoS 0 and 1 in order, each acknowledged, and PINGs answered'],
    ],
  },
  'snapshots over HTTP': {
    tests: [
      [
        'packages/quotes/src/fill.test.ts',
        'asks for a category at a time, a hundred symbols at a time, with the signal of the gap',
      ],
    ],
    options: ['fill'],
  },
}
