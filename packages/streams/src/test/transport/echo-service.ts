/**
 * A service with all four kinds of methods, for tests of transports. Its requests and responses are `StringValue` of protobuf, so
 * no `.proto` file is needed.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import { fileDesc, type GenService, serviceDesc } from '@bufbuild/protobuf/codegenv2'
import { base64Encode } from '@bufbuild/protobuf/wire'
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_wrappers,
  type StringValueSchema,
} from '@bufbuild/protobuf/wkt'

type Method<K extends 'unary' | 'server_streaming' | 'client_streaming' | 'bidi_streaming'> = {
  methodKind: K
  input: typeof StringValueSchema
  output: typeof StringValueSchema
}

const TEXT = { inputType: '.google.protobuf.StringValue', outputType: '.google.protobuf.StringValue' }

const proto = create(FileDescriptorProtoSchema, {
  name: 'test/echo.proto',
  package: 'test',
  syntax: 'proto3',
  dependency: [file_google_protobuf_wrappers.name],
  service: [
    {
      name: 'Echo',
      method: [
        { name: 'Unary', ...TEXT },
        { name: 'ServerStream', ...TEXT, serverStreaming: true },
        { name: 'ClientStream', ...TEXT, clientStreaming: true },
        { name: 'Bidi', ...TEXT, clientStreaming: true, serverStreaming: true },
      ],
    },
  ],
})

const file = fileDesc(base64Encode(toBinary(FileDescriptorProtoSchema, proto)), [
  file_google_protobuf_wrappers,
])

/** The service. Each server has its own handlers. */
export const Echo: GenService<{
  unary: Method<'unary'>
  serverStream: Method<'server_streaming'>
  clientStream: Method<'client_streaming'>
  bidi: Method<'bidi_streaming'>
}> = serviceDesc(file, 0)
