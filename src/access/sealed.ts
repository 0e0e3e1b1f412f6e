/** Values that a browser keeps for the server: it can neither read nor change them, nor use them after their end. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** @param expiresMs Unix ms */
  seal(value: object, expiresMs: number): string;
  /** Undefined for what was not sealed by this key and for this purpose, and for what has ended. */
  open(text: string): Readonly<Record<string, unknown>> | undefined;
}

/**
 * AES-256-GCM. The text is `base64url(iv, ciphertext, tag)`.
 * @param key 32 bytes
 * @param purpose what was sealed for one purpose is nothing to another
 */
export function sealerOf(key: Uint8Array, purpose: string, nowMs: () => number): Sealer {
  const bound = Buffer.from(purpose);
  return {
    seal(value, expiresMs) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound);
      const text = cipher.update(JSON.stringify({ value, expiresMs }), 'utf8');
      return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(bound).setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      const { value, expiresMs } = JSON.parse(plain.toString('utf8')) as Sealed;
      return nowMs() < expiresMs ? value : undefined;
    },
  };
}

interface Sealed {
  readonly value: Readonly<Record<string, unknown>>;
  readonly expiresMs: number;
}
