/**
 * Creates the bucket of logos, of PDFs that are too large for a response, of the files of exports, and of uploaded bank statements.
 * `shared/store/bucket.ts` defines the keys.
 *
 * - It is private: the functions read and write it, and a signed link reads or stores one object for some minutes.
 * - It has no versions, because a version would keep what was erased.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { bucketPrefixes } from './bucket-prefixes.ts';

/**
 * Creates the bucket.
 * @param encryptionKey the customer-managed key; undefined for the key of S3, which is free of charge
 */
export function createBucket(
  scope: Construct,
  removalPolicy: RemovalPolicy,
  encryptionKey: IKey | undefined,
): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: false,
    removalPolicy,
    // CloudFormation does not delete a bucket with objects. Outside of production, an operator empties it first.
    // PDFs can be made again at any time.
    lifecycleRules: [
      { id: 'pdfs', prefix: bucketPrefixes.pdf, expiration: Duration.days(1) },
      { id: 'statements', prefix: bucketPrefixes.statementFile, expiration: Duration.days(1) },
      { id: 'exports', prefix: bucketPrefixes.export, expiration: Duration.days(7) },
      { id: 'uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
    ...(encryptionKey
      ? { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
  });
  acknowledge(
    bucket,
    'S1',
    'Only the functions read and write the bucket, and their logs say so. A log of each read would cost more than the objects.',
  );
  return bucket;
}
