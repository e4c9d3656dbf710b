/**
 * Parses a `curl` command line, as people write it and as browsers copy it ("Copy as cURL", the bash form).
 * The command is never executed, and files that it names are not read.
 */
import { type CurlEffect, getEffect, SHORT_OPTIONS } from './curl-options.ts'
import {
  createParsedRequest,
  groupHeaders,
  HEADER_NAME,
  type ParsedRequest,
  type ParseOptions,
  problemAt,
} from './parsed-request.ts'
import { shellWords, type Word } from './shell-words.ts'

const START = /^\s*(?:#[^\n]*\n\s*)*(?:[$%] +)?curl(?:\.exe)?(?=\s)/

/** Matches the Windows form, which has carets before quotes or at the end of a line. */
const CMD_FORM = /^\s*curl(?:\.exe)?\s+(?:\^"|"[^"\n]*"[^\n]*\^\r?\n)/

/** Whether a text starts like a `curl` command. */
export const isCurlCommand = (text: string): boolean => START.test(text)

/** Parses a command. @throws ParseProblem */
export function parseCurl(text: string, options: ParseOptions): ParsedRequest {
  if (CMD_FORM.test(text))
    throw problemAt(text, 0, 'the cmd form of a command is not supported; copy it as "cURL (bash)"')
  const words = shellWords(text)
  const first = words[0]?.value === '$' || words[0]?.value === '%' ? 1 : 0
  const command = words[first]
  if (command === undefined || !/^(?:.*\/)?curl(?:\.exe)?$/.test(String(command.value)))
    throw problemAt(text, command?.offset ?? 0, 'the command must be curl')
  return new CurlReader(text, options).read(words.slice(first + 1))
}

type Data = string | Uint8Array

class CurlReader {
  readonly #text: string
  readonly #hasBody: boolean
  readonly #headers: (readonly [string, string])[] = []
  readonly #data: Data[] = []
  /** The first value that curl encodes. The result depends on the version of curl. */
  #encoded: Word | undefined
  #isGet = false
  #url: string | undefined

  constructor(text: string, { hasBody }: ParseOptions) {
    this.#text = text
    this.#hasBody = hasBody
  }

  read(words: readonly Word[]): ParsedRequest {
    const rest = words[Symbol.iterator]()
    let areOptionsEnded = false
    for (const word of rest) {
      const text = this.#requireText(word, 'an argument')
      const nextValue = (option: string): Word => {
        const next = rest.next()
        if (next.done) throw this.#problem(word, `${option} must have a value; received none`)
        return next.value
      }
      if (areOptionsEnded || text === '-' || !text.startsWith('-')) this.#setUrl(word)
      else if (text === '--') areOptionsEnded = true
      else if (text.startsWith('--')) {
        const effect = this.#effect(text.slice(2), displayOption(text), word)
        this.#apply(effect, displayOption(text), hasValue(effect) ? nextValue(displayOption(text)) : word)
      } else this.#applyShort(word, text, nextValue)
    }
    return this.#request()
  }

  /** Applies a word in a form such as `-sSL`, `-XPOST`, `-H 'name: value'`. */
  #applyShort(word: Word, text: string, nextValue: (option: string) => Word): void {
    for (let at = 1; at < text.length; at += 1) {
      const option = `-${text.charAt(at)}`
      const name = SHORT_OPTIONS[text.charAt(at)]
      const effect = this.#effect(name ?? '', displayOption(option), word)
      if (!hasValue(effect)) {
        this.#apply(effect, option, word)
        continue
      }
      const attached = text.slice(at + 1)
      this.#apply(effect, option, attached === '' ? nextValue(option) : { ...word, value: attached })
      return
    }
  }

  #effect(name: string, option: string, word: Word): CurlEffect {
    const effect = getEffect(name)
    if (effect === undefined)
      throw this.#problem(
        word,
        `the curl option ${option} is unknown here; remove it if it does not change what is sent`,
      )
    if (effect !== 'unsupported') return effect
    const isBody = ['form', 'form-string', 'upload-file'].includes(name)
    if (isBody && this.#hasBody) return 'value'
    const advice = isBody ? 'give the body as it was sent with --body-file' : 'write one command without it'
    throw this.#problem(word, `the curl option ${option} is not supported; ${advice}`)
  }

  #apply(effect: CurlEffect, option: string, word: Word): void {
    if (effect === 'header') this.#addHeader(this.#requireText(word, option), option, word)
    else if (effect === 'url') this.#setUrl(word)
    else if (effect === 'get') this.#isGet = true
    else if (effect === 'data' || effect === 'json') {
      if (!this.#hasBody && startsWithAt(word.value))
        throw this.#problem(word, `${option} with @ names a file, which is not supported; use --body-file`)
      this.#addData(word.value, effect === 'json' ? '' : '&')
    } else if (effect === 'data-raw') this.#addData(word.value, '&')
    else if (effect === 'data-urlencode') {
      this.#encoded ??= word
      this.#addData(this.#urlEncoded(this.#requireText(word, option), option, word), '&')
    }
  }

  #addData(data: Data, separator: string): void {
    if (this.#data.length > 0 && separator !== '') this.#data.push(separator)
    this.#data.push(data)
  }

  /**
   * Returns the data of `--data-urlencode` in the forms `content`, `=content` and `name=content`. curl
   * encodes the content.
   */
  #urlEncoded(text: string, option: string, word: Word): string {
    const [, name = '', mark = '', content = ''] = /^([^=@]*)([=@]?)(.*)$/s.exec(text) ?? []
    if (mark === '@')
      throw this.#problem(word, `${option} with @ names a file, which is not supported; use --body-file`)
    const encode = (value: string): string =>
      encodeURIComponent(Buffer.from(value).toString()).replace(
        /[!'()*]/g,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      )
    if (mark === '') return encode(name)
    return name === '' ? encode(content) : `${name}=${encode(content)}`
  }

  #addHeader(line: string, option: string, word: Word): void {
    const at = line.indexOf(':')
    // "name;" sends an empty header, and "name:" removes one of curl's own headers.
    const isEmpty = at === -1 && line.endsWith(';')
    const name = line.slice(0, isEmpty ? -1 : Math.max(at, 0)).trim()
    if (!HEADER_NAME.test(name)) throw this.#problem(word, `${option} must be "name: value"`)
    const value = isEmpty ? '' : line.slice(at + 1).trim()
    if (isEmpty || value !== '') this.#headers.push([name, value])
  }

  #setUrl(word: Word): void {
    if (this.#url !== undefined) throw this.#problem(word, 'the command must have one URL; received two')
    const url = this.#requireText(word, 'the URL')
    this.#url = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `http://${url}`
  }

  #request(): ParsedRequest {
    if (this.#url === undefined) throw problemAt(this.#text, 0, 'the command must have a URL; received none')
    if (this.#encoded !== undefined && !this.#isGet && !this.#hasBody)
      throw this.#problem(
        this.#encoded,
        'versions of curl encode --data-urlencode in different ways; give the body as it was sent with --body-file',
      )
    const body = joinData(this.#data)
    const url = this.#isGet && body !== undefined ? withQuery(this.#url, body) : this.#url
    const isSent = body !== undefined && !this.#isGet && !this.#hasBody
    return createParsedRequest(url, groupHeaders(this.#headers), isSent ? body : undefined)
  }

  #requireText({ value, offset }: Word, name: string): string {
    if (typeof value === 'string') return value
    throw problemAt(this.#text, offset, `${name} must be text in UTF-8`)
  }

  #problem({ offset }: Word, sentence: string): Error {
    return problemAt(this.#text, offset, sentence)
  }
}

const hasValue = (effect: CurlEffect): boolean => effect !== 'switch' && effect !== 'get'

/** Returns the name of an option for a message, without an attached value, which may be a secret. */
const displayOption = (option: string): string => /^--?[A-Za-z0-9.#:-]{1,40}/.exec(option)?.[0] ?? '-?'

const startsWithAt = (value: Data): boolean =>
  typeof value === 'string' ? value.startsWith('@') : value[0] === 0x40

function joinData(data: readonly Data[]): Data | undefined {
  if (data.length === 0) return undefined
  if (data.every((part) => typeof part === 'string')) return data.join('')
  return new Uint8Array(
    Buffer.concat(data.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  )
}

function withQuery(url: string, data: Data): string {
  const [address = '', fragment] = url.split('#', 2)
  const query = typeof data === 'string' ? data : Buffer.from(data).toString()
  return `${address}${address.includes('?') ? '&' : '?'}${query}${fragment === undefined ? '' : `#${fragment}`}`
}
