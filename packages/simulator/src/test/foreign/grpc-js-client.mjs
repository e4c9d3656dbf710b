/**
 * Client on grpc-js: foreign-client.ts describes the cases. It has its own protobuf codec and its own signing code, so
 * that it tests the simulator independently.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Client, compressionAlgorithms, credentials, Metadata, status as statuses } from '@grpc/grpc-js'

const { value: line } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next()
const setup = JSON.parse(line)
const PATHS = {
  trade: '/grpc.trade.event.EventService/Subscribe',
  module: '/grpc.event.EventService/Subscribe',
}

const varint = (number) => {
  const bytes = []
  let left = BigInt(number)
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(left)])
}
const text = (tag, value) => {
  const data = Buffer.from(value)
  return Buffer.concat([varint((tag << 3) | 2), varint(data.length), data])
}
const request = (service, stamp) =>
  service === 'trade'
    ? Buffer.concat([
        Buffer.concat([varint(8), varint(1), varint(16), varint(stamp)]),
        ...Array.from({ length: 40 }, () => text(5, setup.account)),
      ])
    : Buffer.concat([...setup.eventTypes.map((name) => text(1, text(1, name))), text(2, String(stamp))])

function fields(data) {
  const found = {}
  let at = 0
  const read = () => {
    let number = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++]
      number |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return number
    }
  }
  while (at < data.length) {
    const key = Number(read())
    const value = Number(read())
    if ((key & 7) === 2) {
      found[key >> 3] = data.toString('utf8', at, at + value)
      at += value
    } else found[key >> 3] = value
  }
  return found
}

function sign(message) {
  const signed = {
    'x-app-key': setup.appKey,
    'x-signature-algorithm': 'HMAC-SHA256',
    'x-signature-nonce': randomBytes(16).toString('hex'),
    'x-signature-version': '1.0',
    'x-timestamp': `${new Date().toISOString().slice(0, 19)}Z`,
  }
  const entries = Object.entries(signed).map(([name, value]) => `${name}=${value}`)
  const canonical = encodeURIComponent(
    `${entries.join('=')}&${createHash('sha256').update(message).digest('hex')}`,
  )
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(signed)) metadata.set(name, value)
  const key = createHmac('sha256', `${setup.appSecret}&`)
  metadata.set('x-signature', key.update(canonical).digest('base64'))
  return metadata
}

function call(service, name, message, metadata) {
  const security =
    setup.ca === null ? credentials.createInsecure() : credentials.createSsl(Buffer.from(setup.ca))
  const client = new Client(setup[service], security, {
    'grpc.default_compression_algorithm':
      name === 'gzip' ? compressionAlgorithms.gzip : compressionAlgorithms.identity,
  })
  const stream = client.makeServerStreamRequest(
    PATHS[service],
    (bytes) => bytes,
    (bytes) => fields(bytes),
    message,
    metadata,
    { deadline: Date.now() + 20_000 },
  )
  const frames = []
  let hasLeft = false
  return new Promise((resolve) => {
    stream.on('data', (found) => {
      if (frames.length === 2) return
      frames.push({ kind: found[1] ?? 0, payload: found[service === 'trade' ? 4 : 7] ?? '' })
      if (frames.length < 2) return
      hasLeft = true
      stream.cancel()
    })
    // The status event reports the error too.
    stream.on('error', () => undefined)
    stream.on('status', ({ code }) => {
      process.stdout.write(
        `${JSON.stringify({ service, case: name, frames, status: hasLeft ? 'left' : statuses[code] })}\n`,
      )
      client.close()
      resolve()
    })
  })
}

for (const service of ['trade', 'module']) {
  const stamp = Date.now()
  const message = request(service, stamp)
  const first = sign(message)
  await call(service, 'plain', message, first)
  await call(service, 'replayed', message, first)
  await call(service, 'gzip', message, sign(message))
  await call(service, 'tampered', request(service, stamp + 1), sign(message))
}
