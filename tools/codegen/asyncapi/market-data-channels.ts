/** The channels of market data: one for each topic of MQTT. */
import type { DescFile } from '@bufbuild/protobuf'
import { PREFIX } from '../../../packages/quotes/src/calls/streaming-api.ts'
import { kindFromTopic } from '../../../packages/quotes/src/items/message-items.ts'
import type { ChannelInput } from './event-channels.ts'
import { referenceTo } from './message-schema.ts'

const PATHS = Object.values(PREFIX).map((prefix) => `${prefix}subscribe`)

/** How a client subscribes to the topics. */
export const MARKET_DATA_SUBSCRIPTION = `Market data has no MQTT SUBSCRIBE. Connect with a session id as client id. Then send a signed POST to ${PATHS.join(' or ')} of the HTTP endpoints, with session_id, symbols, category and sub_types.`

/** Topics without a message of the `.proto` file. */
const OTHER_TOPICS: Readonly<Record<string, ChannelInput>> = {
  notice: {
    address: 'notice',
    description: 'State of the connection. The service sends it without a subscription.',
    messages: {
      notice: {
        contentType: 'application/json',
        summary: 'State of the connection, as published in one example.',
        payload: {
          type: 'object',
          properties: {
            type: { type: 'string', examples: ['status'] },
            rtt: { type: 'number' },
            drop: { type: 'number' },
            sent: { type: 'number' },
          },
        },
      },
    },
  },
  echo: {
    address: 'echo',
    description: 'Heartbeat. The service sends it without a subscription.',
    messages: { echo: { summary: 'A heartbeat without a payload.', payload: { type: 'null' } } },
  },
}

/** Returns the channels by name. Each message of the file that has the field `basic` has a topic. */
export function marketDataChannels(file: DescFile): Readonly<Record<string, ChannelInput>> {
  const channels: Record<string, ChannelInput> = {}
  for (const { name, typeName, fields } of file.messages) {
    if (fields[0]?.name !== 'basic') continue
    const topic = name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
    if (kindFromTopic(topic) !== topic) throw new Error(`${typeName} has no topic`)
    const key = `${name.charAt(0).toLowerCase()}${name.slice(1)}`
    channels[key] = {
      address: topic,
      description: `Messages of the topic ${topic}.`,
      messages: {
        [key]: {
          contentType: 'application/protobuf',
          summary: 'The symbol is in the payload.',
          payload: referenceTo(typeName),
        },
      },
    }
  }
  return { ...channels, ...OTHER_TOPICS }
}
