// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what tweets think of a subject, after the streaming application
// "Opinion Finder" of the S-L1 paper: each thread walks byte by byte over its
// own contiguous chunk of tweets, hashes each word, looks it up in a lexicon in
// global memory, and adds up the scores of a tweet in which one of the
// subject's keywords occurs. A word that negates turns the score of the next
// word that has one. Limited by how many cache lines the L1 keeps, and by lanes
// that look up words while others go on.
//
#include "common.h"

// Of a thread.
#ifndef TWEETS
#define TWEETS bench::bySize(3, 10, 10)
#endif

struct Entry {
  unsigned hash;
  int score;
};

struct Subject {
  static constexpr int Keywords = 4;
  unsigned hashes[Keywords];
};

constexpr int BlockSize = 256;
constexpr int Blocks = bench::bySize(8, 1024, 132 * 2048 / BlockSize);
constexpr int Threads = Blocks * BlockSize;
constexpr int Chunk = TWEETS;
// The last chunk is shorter, as it is for any text.
constexpr int Tweets = Threads * Chunk - Chunk / 3;
constexpr unsigned HashStart = 0x811c9dc5;
constexpr unsigned NoWord = 0;
constexpr int Negation = 100;
constexpr unsigned Slots = 1 << 14;
constexpr uint32_t SeedLetter = 1;
constexpr uint32_t SeedScore = 2;
constexpr uint32_t SeedLength = 3;
constexpr uint32_t SeedWord = 4;

namespace bench {
// Tweets are made of a vocabulary. Half of its words have a score.
constexpr uint32_t Vocabulary = 1 << 14;
constexpr uint32_t FirstKeyword = 100;
constexpr int MaxWords = 64;

__host__ __device__ inline int wordBytes(uint32_t Word) {
  return 3 + Word * 7 % 8;
}

/// No two words begin with the same three letters.
__host__ __device__ inline char wordByte(uint32_t Word, int Index) {
  constexpr uint32_t Letters = 26;
  uint32_t Letter = Index == 0   ? Word
                    : Index == 1 ? Word / Letters
                    : Index == 2 ? Word / (Letters * Letters)
                                 : bitsAt(SeedLetter, Word * 16 + Index) >> 8;
  return static_cast<char>('a' + Letter % Letters);
}

/// From -2 to 2; one word in 64 negates.
__host__ __device__ inline int scoreOf(uint32_t Word) {
  uint32_t Bits = bitsAt(SeedScore, Word) >> 8;
  if (Bits % 64 == 1)
    return Negation;
  return Bits % 2 ? 0 : static_cast<int>(Bits / 2 % 5) - 2;
}

/// One word in 32 is a keyword.
__host__ __device__ inline uint32_t wordOf(int Tweet, int Number) {
  uint32_t Bits = bitsAt(SeedWord, size_t(Tweet) * MaxWords + Number) >> 8;
  return Bits % 32 ? Bits / 32 % Vocabulary
                   : FirstKeyword + Bits / 32 % Subject::Keywords;
}

/// A tweet's words, one after the other: as many as fit into its length, which
/// is 40 to 140 bytes.
struct TweetWords {
  int Tweet;
  int Number = 0;
  int Bytes = 0; ///< Of those so far, each with what ends it.
  uint32_t Word = 0;

  __host__ __device__ explicit TweetWords(int Tweet) : Tweet(Tweet) {}
  __host__ __device__ bool next() {
    int Length = 40 + static_cast<int>((bitsAt(SeedLength, Tweet) >> 8) % 101);
    Word = wordOf(Tweet, Number++);
    if (Bytes + wordBytes(Word) + 1 > Length)
      return false;
    Bytes += wordBytes(Word) + 1;
    return true;
  }
};

/// Words with spaces between them, a capital first, a line's end last.
__global__ void fillTweets(char *Text, const int *Begins) {
  int Step = gridDim.x * blockDim.x;
  for (int Tweet = blockIdx.x * blockDim.x + threadIdx.x; Tweet < Tweets;
       Tweet += Step) {
    char *Begin = Text + Begins[Tweet], *Next = Begin;
    for (TweetWords Words(Tweet); Words.next();) {
      for (int I = 0; I < wordBytes(Words.Word); ++I)
        *Next++ = wordByte(Words.Word, I);
      *Next++ = ' ';
    }
    *Begin += 'A' - 'a';
    Next[-1] = '\n';
  }
}
} // namespace bench

__host__ __device__ inline unsigned addToHash(unsigned hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
}

/// What is known of a tweet so far.
struct Opinion {
  int score = 0;
  int sign = 1;
  bool isOfSubject = false;

  __host__ __device__ void addScore(int ofWord) {
    if (ofWord == Negation) {
      sign = -sign;
    } else if (ofWord != 0) {
      score += sign * ofWord;
      sign = 1;
    }
  }
};

/// 0: it is not in the lexicon.
__host__ __device__ inline int lookUp(const Entry *lexicon, unsigned hash) {
  unsigned slot = hash % Slots;
  while (lexicon[slot].hash != NoWord) {
    if (lexicon[slot].hash == hash)
      return lexicon[slot].score;
    slot = (slot + 1) % Slots;
  }
  return 0;
}

__host__ __device__ inline bool isKeyword(const Subject &subject,
                                          unsigned hash) {
  for (unsigned keyword : subject.hashes)
    if (keyword == hash)
      return true;
  return false;
}

__global__ void opinion_finder(const char *BENCH_MAY_RESTRICT text,
                               const int *BENCH_MAY_RESTRICT begins,
                               const Entry *BENCH_MAY_RESTRICT lexicon,
                               Subject subject,
                               int *BENCH_MAY_RESTRICT scores) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * Chunk;
  int last = min(first + Chunk, Tweets);
  for (int tweet = first; tweet < last; ++tweet) {
    Opinion opinion;
    unsigned hash = HashStart;
    int end = begins[tweet + 1];
    for (int i = begins[tweet]; i < end; ++i) {
      char c = text[i];
      if (c >= 'A' && c <= 'Z')
        c += 'a' - 'A';
      if (c >= 'a' && c <= 'z') {
        hash = addToHash(hash, c);
        continue;
      }
      opinion.isOfSubject |= isKeyword(subject, hash);
      opinion.addScore(lookUp(lexicon, hash));
      hash = HashStart;
    }
    scores[tweet] = opinion.isOfSubject ? opinion.score : 0;
  }
}

static unsigned hashOf(uint32_t Word) {
  unsigned Hash = HashStart;
  for (int I = 0; I < bench::wordBytes(Word); ++I)
    Hash = addToHash(Hash, bench::wordByte(Word, I));
  return Hash;
}

static std::vector<Entry> makeLexicon() {
  std::vector<Entry> Lexicon(Slots, Entry{NoWord, 0});
  for (uint32_t Word = 0; Word < bench::Vocabulary; ++Word) {
    if (bench::scoreOf(Word) == 0)
      continue;
    unsigned Slot = hashOf(Word) % Slots;
    while (Lexicon[Slot].hash != NoWord)
      Slot = (Slot + 1) % Slots;
    Lexicon[Slot] = {hashOf(Word), bench::scoreOf(Word)};
  }
  return Lexicon;
}

static Subject makeSubject() {
  Subject Made;
  for (int I = 0; I < Subject::Keywords; ++I)
    Made.hashes[I] = hashOf(bench::FirstKeyword + I);
  return Made;
}

/// Where each tweet begins, and where the last one ends.
static std::vector<int> makeBegins() {
  std::vector<int> Begins(1);
  for (int Tweet = 0; Tweet < Tweets; ++Tweet) {
    bench::TweetWords Words(Tweet);
    while (Words.next())
      ;
    Begins.push_back(Begins.back() + Words.Bytes);
  }
  return Begins;
}

static std::vector<int> expectedScores(const std::vector<Entry> &Lexicon,
                                       const Subject &Of) {
  std::vector<int> WordScores;
  std::vector<bool> IsKeyword;
  for (uint32_t Word = 0; Word < bench::Vocabulary; ++Word) {
    WordScores.push_back(lookUp(Lexicon.data(), hashOf(Word)));
    IsKeyword.push_back(isKeyword(Of, hashOf(Word)));
  }
  std::vector<int> Scores;
  for (int Tweet = 0; Tweet < Tweets; ++Tweet) {
    Opinion Expected;
    for (bench::TweetWords Words(Tweet); Words.next();) {
      Expected.addScore(WordScores[Words.Word]);
      Expected.isOfSubject |= IsKeyword[Words.Word];
    }
    Scores.push_back(Expected.isOfSubject ? Expected.score : 0);
  }
  return Scores;
}

int main() {
  std::vector<int> Offsets = makeBegins();
  std::vector<Entry> Words = makeLexicon();
  Subject Subject = makeSubject();
  bench::DeviceArray<char> Text(Offsets.back());
  bench::DeviceArray<int> Begins(Offsets), Scores(Tweets);
  bench::DeviceArray<Entry> Lexicon(Words);
  bench::fillTweets<<<Blocks, BlockSize>>>(Text, Begins);
  CUDA_CHECK(cudaGetLastError());

  opinion_finder<<<Blocks, BlockSize>>>(Text, Begins, Lexicon, Subject, Scores);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("opinion_finder");
  Program.check("scores", Scores, expectedScores(Words, Subject));
  return Program.verdict();
}
