//! Imports the files of a job, which a client of the API has requested and sent.

use futures_util::stream::{self, StreamExt};
use operations::InputFile;
use operations::import::jobs::{self, Claim, JobPlace};

use super::objects::Bucket;
use super::{Importer, InvocationError, now};

impl Importer {
    /// Imports the files of a job once all have arrived, and deletes them. The result is kept with the job.
    pub(super) async fn import_job(
        &self,
        bucket: &Bucket<'_>,
        place: &JobPlace,
        delivery: &str,
    ) -> Result<(), InvocationError> {
        let organization = self.store.organization(&place.organization);
        let objects = bucket.keys_below(&place.prefix()).await?;
        match jobs::claim(&organization, place, objects.len(), delivery, now()).await? {
            Claim::Wait => return Ok(()),
            Claim::Delete => {}
            Claim::Import(job) => {
                let names: Vec<_> = job.files.iter().map(|file| file.name.clone()).collect();
                let files = stream::iter(names.into_iter().enumerate()).then(async |(number, name)| {
                    let file = match bucket.download(&place.object(number)).await {
                        Ok((file, _)) => InputFile::opened(name, file),
                        Err(error) => InputFile::not_fetched(name, &error, error.is_transient()),
                    };
                    file.sent()
                });
                jobs::work(&organization, *job, files, self.retention, now()).await?;
            }
        }
        Ok(bucket.delete(&objects).await?)
    }
}
