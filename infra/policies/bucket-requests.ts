/**
 * Says what IAM decides about a call to the bucket. A link needs the permission of the call that it stands for, which S3 checks when the
 * link is used. The actions and the condition key are at
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html.
 */
import type { AccessRequest } from './table-requests.ts';

const actions: Readonly<Record<string, string>> = {
  ListObjectsV2: 's3:ListBucket',
  PresignGetObject: 's3:GetObject',
  PresignPutObject: 's3:PutObject',
  CreateMultipartUpload: 's3:PutObject',
  UploadPart: 's3:PutObject',
  CompleteMultipartUpload: 's3:PutObject',
};

/**
 * Returns the request to IAM for a call.
 * @param commandName the name of the SDK's command, such as `PutObjectCommand`
 * @param bucketName the name of the bucket that requests call `bucket`
 */
export function bucketRequestOf(
  commandName: string,
  { Bucket, Key, Prefix }: { readonly Bucket: string; readonly Key?: string; readonly Prefix?: string },
  bucketName: string,
): AccessRequest {
  const operation = commandName.replace(/Command$/, '');
  const bucket = Bucket === bucketName ? 'bucket' : `bucket ${Bucket}:`;
  return {
    action: actions[operation] ?? `s3:${operation}`,
    resource: Key === undefined ? bucket : `${bucket} ${Key}`,
    prefix: Prefix,
  };
}
