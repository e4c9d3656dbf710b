/** JSON schema of `simulate --config`, generated from the table of options. */
import { scenarioSchema } from '@brokerwire/simulator'
import { SIMULATE_OPTIONS, type SimulateOption } from './options.ts'

type Schema = Readonly<Record<string, unknown>>

function toSchema(option: SimulateOption): Schema {
  const description = option.help
  switch (option.kind) {
    case 'choice':
      return { description, enum: option.choices }
    case 'integer':
      return { description, type: 'integer', minimum: option.min, maximum: option.max }
    case 'durationMs':
      return { description: `milliseconds; ${description}`, type: 'integer', minimum: 0 }
    case 'flag':
      return { description, type: 'boolean' }
    case 'list':
      return {
        description,
        type: 'array',
        minItems: 1,
        items: option.choices ? { enum: option.choices } : { type: 'string' },
      }
    case 'text':
      return { description, type: 'string' }
  }
}

function stepsSchema(): unknown {
  return (scenarioSchema().properties as Schema).steps
}

const SPECIAL_SCHEMAS: Readonly<Record<string, Schema>> = {
  apps: {
    description:
      'several apps, each with its options; a file with an appSecret must be accessible only to its owner',
    type: 'array',
    minItems: 1,
    items: { type: 'object' },
  },
  symbols: {
    description: 'tradable symbols, or instruments of which only symbol is required',
    type: 'array',
    minItems: 1,
    items: {
      anyOf: [
        { type: 'string' },
        { type: 'object', required: ['symbol'], properties: { symbol: { type: 'string' } } },
      ],
    },
  },
  moduleEventsPort: {
    description: "port for module events; 'shared': the port of the other events",
    anyOf: [{ type: 'integer', minimum: 0, maximum: 65_535 }, { const: 'shared' }],
  },
  scenario: {
    description: 'scenario of the streams: a name, or steps',
    anyOf: [
      { enum: ['none', 'lifecycles', 'lifecycles-forever'] },
      // The steps of a scenario file.
      stepsSchema(),
    ],
  },
  appSecret: {
    description: 'app secret; the file must then be accessible only to its owner',
    type: 'string',
  },
  rateLimit: {
    description: 'rate limits of the token endpoints; false: none',
    anyOf: [
      { const: false },
      {
        type: 'object',
        additionalProperties: false,
        properties: {
          requests: { type: 'integer', minimum: 1 },
          windowMs: { type: 'integer', minimum: 1 },
          clientRequests: { type: 'integer', minimum: 1 },
          clientWindowMs: { type: 'integer', minimum: 1 },
        },
      },
    ],
  },
  tls: {
    description: 'private key and certificate in PEM; the file must then be accessible only to its owner',
    type: 'object',
    additionalProperties: false,
    required: ['key', 'cert'],
    properties: { key: { type: 'string' }, cert: { type: 'string' } },
  },
  quotes: {
    description: 'market data over MQTT, with its options; true: all defaults',
    anyOf: [
      { type: 'boolean' },
      {
        type: 'object',
        additionalProperties: false,
        properties: {
          mqttPort: { type: 'integer', minimum: 0, maximum: 65_535 },
          mqttWebSocketPort: { type: 'integer', minimum: 0, maximum: 65_535 },
          maxConnections: { type: 'integer', minimum: 1, maximum: 1000 },
          slotLingerMs: { type: 'integer', minimum: 0 },
          maxSymbols: { type: 'integer', minimum: 1, maximum: 100_000 },
          registrationMs: { type: 'integer', minimum: 0 },
          tokenRequired: { type: 'boolean' },
          maxPushesPerSecond: { type: 'integer', minimum: 0, maximum: 1_000_000 },
          echoIntervalMs: { type: 'integer', minimum: 0 },
          stepMs: { type: 'integer', minimum: 0 },
        },
      },
    ],
  },
  trading: {
    description: 'operations on accounts and orders, with their options; false: none',
    anyOf: [
      { type: 'boolean' },
      {
        type: 'object',
        additionalProperties: false,
        properties: {
          cash: { type: 'string' },
          hours: { enum: ['always', 'regular', 'closed'] },
          stepMs: { type: 'integer', minimum: 1 },
          submitDelayMs: { type: 'integer', minimum: 0 },
          pageSize: { type: 'integer', minimum: 1, maximum: 1000 },
          maxOrders: { type: 'integer', minimum: 1, maximum: 1_000_000 },
          maxOpenOrders: { type: 'integer', minimum: 1, maximum: 100_000 },
          rateLimits: {
            anyOf: [
              { type: 'boolean' },
              {
                type: 'object',
                additionalProperties: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['requests', 'windowMs'],
                  properties: {
                    requests: { type: 'integer', minimum: 1, maximum: 1_000_000 },
                    windowMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
                  },
                },
              },
            ],
          },
        },
      },
    ],
  },
  moduleHistory: {
    description: 'module events of an earlier simulator with the same seed, beginning with the first',
    type: 'array',
    items: { type: 'object' },
  },
}

/** Names of a configuration file, except `$schema`. */
export const CONFIG_NAMES: readonly string[] = [
  ...new Set([...SIMULATE_OPTIONS.map(({ name }) => name), ...Object.keys(SPECIAL_SCHEMAS)]),
]

/** Creates the schema. */
export function simulateSchema(): Schema {
  const table = Object.fromEntries(SIMULATE_OPTIONS.map((option) => [option.name, toSchema(option)]))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'brokerwire simulate --config',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...table, ...SPECIAL_SCHEMAS },
  }
}
