/** The service Echo on @grpc/grpc-js. `echo-server.ts` describes it. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import {
  Metadata,
  type MethodDefinition,
  Server,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { listenGrpcJs } from '../../interop/grpc-js-listen.ts'
import { Echo } from '../echo-service.ts'
import type { EchoServer } from './echo-server.ts'

type Definition = MethodDefinition<string, string>

function definition(
  name: keyof typeof Echo.method,
  requestStream: boolean,
  responseStream: boolean,
): Definition {
  const serialize = (value: string) =>
    Buffer.from(toBinary(StringValueSchema, create(StringValueSchema, { value })))
  const deserialize = (bytes: Buffer) => fromBinary(StringValueSchema, bytes).value
  return {
    path: `/${Echo.typeName}/${Echo.method[name].name}`,
    requestStream,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  }
}

const definitions = {
  unary: definition('unary', false, false),
  serverStream: definition('serverStream', false, true),
  clientStream: definition('clientStream', true, false),
  bidi: definition('bidi', true, true),
}

/** Starts the server on 127.0.0.1. */
export async function startGrpcJsEcho(): Promise<EchoServer> {
  let canceled = 0
  const server = new Server()
  server.addService(definitions, {
    unary(call: ServerUnaryCall<string, string>, answer: sendUnaryData<string>) {
      const [mine = ''] = call.metadata.get('x-mine')
      const [raw = Buffer.alloc(0)] = call.metadata.get('x-raw-bin')
      const head = new Metadata()
      head.set('x-head', mine)
      head.set('x-raw-bin', raw)
      call.sendMetadata(head)
      const trailer = new Metadata()
      trailer.set('x-trail', mine)
      if (call.request === 'fail') {
        answer({ code: status.NOT_FOUND, details: 'nichts, gar nichts: ä %', metadata: trailer })
        return
      }
      const leftMs = Number(call.getDeadline()) - Date.now()
      const answers: Record<string, string> = {
        time: String(Math.ceil(leftMs / 1000)),
        canceled: String(canceled),
      }
      answer(null, answers[call.request] ?? call.request, trailer)
    },
    serverStream(call: ServerWritableStream<string, string>) {
      if (call.request === 'wait') {
        call.on('cancelled', () => {
          canceled++
        })
        call.write('w')
        return
      }
      for (const letter of call.request) call.write(letter)
      call.end()
    },
    clientStream(call: ServerReadableStream<string, string>, answer: sendUnaryData<string>) {
      let all = ''
      call.on('data', (value: string) => {
        all += value
      })
      call.on('end', () => answer(null, all))
    },
    bidi(call: ServerDuplexStream<string, string>) {
      call.on('data', (value: string) => call.write(`<${value}>`))
      call.on('end', () => call.end())
    },
  })
  return listenGrpcJs(server)
}
