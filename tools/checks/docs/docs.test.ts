import { describe, expect, test } from 'vitest'
import { budgetOf, isUserPage } from './pages.ts'
import { lengthProblems, readerProblems, sentenceProblems } from './rules.ts'
import { countWords, sentencesOf } from './sentences.ts'
import { dictionaryProblems, spellingProblems } from './spelling.ts'

const fence = '`'.repeat(3)
const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ')
const sentence = (count: number): string => `W${words(count).slice(1)}.`
const sentences = (count: number, each: string): string => Array.from({ length: count }, () => each).join(' ')

describe('the words of a page', () => {
  test('are those outside of code, comments and addresses', () => {
    const page = [
      '---\nlayout: home\n---\n# One heading',
      '<!-- a comment -->',
      `${fence}sh\nnpm install x\n${fence}`,
      '| a | b |\n|---|---|\n- see [three words here](https://example.com/a) `x`',
    ]
    expect(countWords(page.join('\n\n'))).toBe(9)
  })
})

describe('the sentences of a page', () => {
  test('are in paragraphs and lists, and inline code is one word', () => {
    const page = [
      '# A heading.',
      'The call\nfails. `get({ wait: false })` does not. [x.json](x.json) does.',
      '| A cell. | Another cell. |',
      '1. Open it.\n2. Close it:',
      '- a fragment\n- another',
      `${fence}ts\n// A comment.\n${fence}`,
    ]
    expect(sentencesOf(page.join('\n\n')).map(({ text, words }) => `${text} ${words}`)).toEqual([
      'The call fails. 3',
      'Code does not. 3',
      'X.json does. 2',
      'Open it. 2',
      'Close it: 2',
    ])
  })

  test('include a long item of a list without a full stop', () => {
    expect(sentencesOf(`- ${words(27)}\n- ${words(26)}`).map((found) => found.words)).toEqual([27])
  })
})

describe('long sentences', () => {
  const page = (long: number, length: number): string[] =>
    sentenceProblems({
      file: 'docs/x.md',
      text: `${sentences(20 - long, sentence(5))} ${sentences(long, sentence(length))}`,
    })

  test('may be a tenth of a page, and a twentieth with more than 30 words', () => {
    expect(page(2, 30)).toEqual([])
    expect(page(1, 31)).toEqual([])
    expect(page(3, 27)[0]).toBe('docs/x.md: 15.0 % of the sentences have more than 26 words; allowed: 10.0 %')
    expect(page(2, 31)[0]).toBe('docs/x.md: 10.0 % of the sentences have more than 30 words; allowed: 5.0 %')
  })

  test('are listed', () => {
    expect(page(3, 27).slice(1)).toEqual(Array(3).fill(`docs/x.md: 27 words: ${sentence(27)}`))
  })

  test('are not counted in a page of fewer than 20 sentences', () => {
    expect(sentenceProblems({ file: 'docs/x.md', text: sentences(19, sentence(40)) })).toEqual([])
  })
})

describe('"you"', () => {
  const guide = (withYou: number): string[] =>
    readerProblems([
      {
        file: 'docs/guides/x.md',
        text: `${sentences(withYou, 'Your call ends.')} ${sentences(20 - withYou, 'It ends.')}`,
      },
      { file: 'docs/reference/x.md', text: sentences(100, 'It ends.') },
    ])

  test('is in 15 % of the sentences of all pages but descriptions', () => {
    expect(guide(3)).toEqual([])
    expect(guide(2)).toEqual([
      '10.0 % of the sentences have "you"; at least 15.0 % are needed; fewest: docs/guides/x.md 10.0 %',
    ])
  })
})

describe('the length of a page', () => {
  test('is at most its budget and a tenth', () => {
    const file = 'docs/start/packages.md'
    expect(lengthProblems({ file, text: words(385) })).toEqual([])
    expect(lengthProblems({ file, text: words(386) })).toEqual([
      `${file}: 386 words outside of code; allowed: at most 385`,
    ])
  })

  test('of a package page is 270 to 500 words, and of the root page at most 700', () => {
    expect(budgetOf('packages/signer/README.md')).toEqual({ min: 270, max: 500 })
    expect(budgetOf('README.md')).toEqual({ min: 0, max: 700 })
    expect(lengthProblems({ file: 'packages/signer/README.md', text: words(269) })).toEqual([
      'packages/signer/README.md: 269 words outside of code; allowed: 270 to 500',
    ])
  })
})

test('generated pages, and pages about sources and releases, are not checked', () => {
  const pages = ['docs/facts.md', 'docs/reference/errors.md', 'docs/reference/options/http.md', 'STYLE.md']
  expect(pages.filter(isUserPage)).toEqual([])
  expect(isUserPage('docs/guides/relay.md')).toBe(true)
})

describe('spelling', () => {
  test('reports the line of a word that neither cspell nor the dictionary has', async () => {
    const page = `First.\n\nYou recieve an event over FooMQ.\n\n${fence}ts\nrecieve()\n${fence}\n\n\`recieve\` [a](recieve.md)`
    expect(await spellingProblems('docs/x.md', page, ['FooMQ'])).toEqual([
      'docs/x.md:3: spelling: "recieve"; correct it, or add it to tools/checks/docs/dictionary.txt',
    ])
  })

  test('of words that no page has is not in the dictionary, which is sorted', () => {
    const pages = [{ file: 'docs/x.md', text: 'FooMQ and barmq.' }]
    expect(dictionaryProblems(['FooMQ', 'barmq'], pages)).toEqual([])
    expect(dictionaryProblems(['barmq', 'FooMQ'], pages)).toHaveLength(1)
    expect(dictionaryProblems(['FooMQ', 'barmq', 'bazmq'], pages)).toHaveLength(1)
  })
})
