/**
 * Static modules for protobufjs, with declarations: pbjs writes the code, and pbts the declarations. They need only
 * `protobufjs/minimal.js`, and no `new Function`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pbjs } from 'protobufjs-cli'

/** The entry of a `.proto` file. */
export interface StaticModule {
  /** Name of the module, without an extension. */
  readonly name: string
  /** Path of the `.proto` file, from the folder of `.proto` files. */
  readonly file: string
}

const OPTIONS = [
  ...['--target', 'static-module', '--wrap', 'esm', '--dependency', 'protobufjs/minimal.js'],
  // Without the service, because its class supports unary calls only.
  ...['--no-service', '--no-typeurl', '--no-delimited'],
]
const ROOT_LINE = /^const \$root = .*$/m
/** Without the package `long`, protobufjs rounds 64-bit integers above 2^53. */
const REQUIRE_LONG = `if (!$util.Long)
    throw $Error('protobufjs must find the package "long", without which 64-bit integers lose digits; received none. Install long, and let your bundler include it.');`

/** Returns the code and the declarations of a module. @param temporary - A folder for files of pbjs. */
export async function staticModule(
  protos: string,
  temporary: string,
  { name, file }: StaticModule,
): Promise<{ readonly code: string; readonly declarations: string }> {
  // pbjs keeps the messages of a root in a global registry, so each module has a name that no other program uses.
  const args = [...OPTIONS, '--root', `brokerwire.${name}`, '--path', protos, join(protos, file)]
  const code = await runPbjs(['--no-comments', ...args])
  // The declarations are made from the comments of the code.
  const out = join(temporary, `${name}.js`)
  await runPbjs(['--dts', '--out', out, ...args])
  const declarations = readFileSync(join(temporary, `${name}.d.ts`), 'utf8')
  const hasInt64 = code.includes('.int64(')
  if (!ROOT_LINE.test(code) || !LONG_IMPORT.test(declarations))
    throw new Error(`pbjs ${file}: the output must have the lines "const $root" and "import Long"`)
  return {
    code: hasInt64 ? code.replace(ROOT_LINE, (line) => `${line}\n\n${REQUIRE_LONG}`) : code,
    declarations: declarations.replace(LONG_IMPORT, hasInt64 ? LONG_TYPE : ''),
  }
}

const LONG_IMPORT = /^import Long = require\("long"\);\n/m
/** The package `long` is a dependency of protobufjs, so an import of it may not resolve from here. */
const LONG_TYPE = "\ntype Long = ReturnType<$protobuf.Reader['int64']>;\n"

function runPbjs(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    pbjs.main([...args], (error, output = '') => {
      if (error === null) resolve(output)
      else reject(error)
    })
  })
}
